"""Indexing a scope: the stages between a site and its published index."""
