"""What a result says: marks, snippets, the opening of a page."""
