"""Answers that are passages: whole sentences of pages and code, each with where it stands, or none."""
