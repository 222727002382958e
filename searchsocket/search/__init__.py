"""Answering a query: retrieve, fuse, boost, group, highlight."""
