"""Texts of results: marks, snippets, and the opening of a page."""
