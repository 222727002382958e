"""Queries that may be kept: no secret, no address and no number that could belong to one person."""

import re
import unicodedata
from functools import cache

from searchsocket.text.redaction.redactor import Redactor

MAX_CHARS = 100  # a longer text was pasted, and no two visitors share it
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
_RANDOM_CHANGES = 3  # between letters and digits: more than words with a number have


def storable_query(query: str) -> str:
    """The query in the form under which equal ones are counted; "" if its text must not be kept."""
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
