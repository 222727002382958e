"""Canonical URLs of pages, and resolution of links."""
