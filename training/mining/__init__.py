"""Finds (query, passage) pairs in packages and repositories on this disk; see `../README.md`."""
