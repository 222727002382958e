"""The content of a site: HTML to Markdown, the mirror and chunks; pure steps."""
