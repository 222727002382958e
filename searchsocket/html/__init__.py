"""HTML to Markdown."""
