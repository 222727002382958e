"""The search page at `/`: HTML that works without a script, and a script that makes it quicker; no build step."""
