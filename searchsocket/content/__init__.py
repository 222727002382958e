"""The content of a site: HTML to Markdown, the mirror, chunks and llms.txt; pure steps."""
