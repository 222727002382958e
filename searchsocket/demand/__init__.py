"""Demand: an anonymous log of visitors' searches, and a report of queries without a good answer.

A service calls `recorder.py`; `private_text.py` and `tally.py` decide what is stored; `log.py` is the file.
"""
