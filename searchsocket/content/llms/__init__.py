"""Files for agents: `llms.txt`, `llms-full.txt`, and each page as Markdown next to it."""
