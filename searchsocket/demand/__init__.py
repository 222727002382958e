"""Demand: what visitors search for, kept without knowing who they are, and a report of what the site does not answer.

`recorder.py` is what a service calls; `private_text.py` and `tally.py` decide what may be kept; `log.py` is the file.
"""
