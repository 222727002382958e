"""Decide if a query may be stored: no secret, no address and no number that could identify a person."""

import re
import unicodedata
from functools import cache

from searchsocket.text.redaction.redactor import Redactor

MAX_CHARS = 100  # a longer text is probably pasted, and never shared by two visitors
_PRIVATE = re.compile(
    r"\S@\S"  # mail addresses, and passwords in URLs
    r"|://\S*[?#]"  # parameters of a URL
    r"|(?:\d[ ./()+:-]{0,2}){9,}"  # telephone, card, account and identity numbers
    r"|\b\d{1,3}(?:\.\d{1,3}){3}\b|(?:[0-9a-f]{1,4}:){3,}"  # network addresses
    r"|[0-9a-f]{8}-[0-9a-f]{4}-",  # UUIDs
    re.IGNORECASE,
)
_RUN = re.compile(r"[A-Za-z0-9+=]{16,}")
_CHANGE = re.compile(r"(?<=[0-9])(?=[A-Za-z])|(?<=[A-Za-z])(?=[0-9])")
_RANDOM_CHANGES = 3  # between letters and digits; words with a number have fewer


def storable_query(query: str) -> str:
    """Return the query in the form in which it is counted; "" if its text must not be stored."""
    if len(query) > MAX_CHARS or _PRIVATE.search(query) or any(map(_looks_random, _RUN.findall(query))):
        return ""
    if _redactor().redact(query).count:
        return ""
    return " ".join(unicodedata.normalize("NFKC", query).casefold().split())[:MAX_CHARS]


def _looks_random(run: str) -> bool:
    return len(_CHANGE.findall(run)) >= _RANDOM_CHANGES


@cache
def _redactor() -> Redactor:
    return Redactor()
