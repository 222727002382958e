"""Putting search into a site: what the site is, which files change, and how to take it back."""
