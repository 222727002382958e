"""Generations in an object store, so that indexing and serving machines need no shared disk."""
