"""Dagster definitions of searchsocket: they wire the library's stages together and compute nothing (DESIGN 3)."""
