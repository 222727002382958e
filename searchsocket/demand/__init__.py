"""Demand: an anonymous log of visitors' searches, and a report of queries without a good answer.

A service calls the recorder in `log.py`, which also has the file; `tally.py` decides what is stored.
"""
