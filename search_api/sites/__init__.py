"""Several projects in one service: each below `/sites/NAME`, and one search over all of them.

The search over all sends the request to each project's own application, so keys, limits and the demand log of each
project apply. A project that does not answer is left out, and the answer has a note.
"""
