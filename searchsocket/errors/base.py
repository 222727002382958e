"""Base class of every error of this library."""


class SearchSocketError(Exception):
    """Base class of every error that this library raises on purpose."""

    code = "INTERNAL_ERROR"
    retryable = False
    fix = ""  # the remedy, if there is only one
