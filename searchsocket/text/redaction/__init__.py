"""Secrets in a text are replaced before it leaves the machine (spec 24)."""
