"""Dagster definitions of searchsocket: they wire the library's stages together and compute nothing (spec 4.1)."""
