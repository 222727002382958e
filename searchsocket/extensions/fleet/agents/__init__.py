"""Servers of agents over several projects."""
