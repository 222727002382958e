"""Markdown as blocks and as plain text."""
