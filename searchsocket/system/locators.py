"""Locators: relative paths as text that every database and log can store, since file names need not be UTF-8."""

import os
import re
from urllib.parse import quote_from_bytes, unquote_to_bytes

_BYTES = "bytes:"
_NOT_TEXT = re.compile("[\ud800-\udfff]")  # Python's form of bytes that are not UTF-8


def locator_of(path: str) -> str:
    """The locator of a relative path."""
    if path.startswith(_BYTES) or _NOT_TEXT.search(path):
        return _BYTES + quote_from_bytes(os.fsencode(path))
    return path


def path_of(locator: str) -> str:
    """The relative path of a locator."""
    return os.fsdecode(unquote_to_bytes(locator.removeprefix(_BYTES))) if locator.startswith(_BYTES) else locator
