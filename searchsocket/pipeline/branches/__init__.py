"""Existing branches, their scopes, and pruning."""
