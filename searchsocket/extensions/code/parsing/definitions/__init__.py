"""Definitions of a source file: names, kinds and lines."""
