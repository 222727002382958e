"""The Markdown mirror: file format and file names."""
