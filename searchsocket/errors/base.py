"""What every error of this library is."""


class SearchSocketError(Exception):
    """Base of everything that this library raises on purpose."""

    code = "INTERNAL_ERROR"
    retryable = False
    fix = ""  # the one remedy, where the error knows it
