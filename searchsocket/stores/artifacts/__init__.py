"""Generations in an object store, so that whoever answers queries needs no disk of whoever indexes."""
