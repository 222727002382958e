"""Search for a website and its source code."""

__version__ = "0.2.0"
