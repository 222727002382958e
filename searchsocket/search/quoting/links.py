"""Addresses that open a result where it answers."""

from functools import lru_cache
from urllib.parse import quote

_FRAGMENT_SAFE = "!$&()*+,;=:@/?-._~"


@lru_cache(maxsize=1 << 12)
def _fragment(anchor: str) -> str:
    return quote(anchor, safe=_FRAGMENT_SAFE, errors="replace")


def href(url: str, anchor: str) -> str:
    """`url#anchor`, with the anchor escaped as a fragment must be; the URL alone where there is no anchor."""
    return f"{url}#{_fragment(anchor)}" if anchor else url
