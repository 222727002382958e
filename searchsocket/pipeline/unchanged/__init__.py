"""Detect with only the standard library that nothing changed since a run, so that Dagster need not be loaded."""
