"""Knowing by the standard library alone that nothing changed since a run, so that Dagster need not be loaded."""
