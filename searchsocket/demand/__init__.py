"""Demand: an anonymous log of visitors' searches, and a report of queries without a good answer.

A service calls `recorder.py`; `tally.py` decides what is stored; `log.py` is the file.
"""
