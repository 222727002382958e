"""Runs of the graph, in this process or by Dagster: their home, records and messages."""
