"""Versions of a documentation site: which folders are versions, which one is searched, which pages they share."""
