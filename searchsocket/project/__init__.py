"""Paths of a project, its scopes, and file access."""
