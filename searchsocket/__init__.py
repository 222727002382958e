"""Search for a website and its source code."""

__version__ = "0.1.0"
