"""Rank candidates, and decide if they answer the query."""
