"""Versions of a documentation site: version folders, the default version, and pages shared between versions."""
