"""Addresses of a site: its URLs, and the routes that serve them."""
