"""What agents read of a site: `llms.txt`, `llms-full.txt`, and each page as Markdown beside it."""
