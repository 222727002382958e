"""Addresses that open a result where it answers."""

from functools import lru_cache
from urllib.parse import quote

from searchsocket.types import PageFacts

_FRAGMENT_SAFE = "!$&()*+,;=:@/?-._~"


@lru_cache(maxsize=1 << 12)
def _fragment(anchor: str) -> str:
    return quote(anchor, safe=_FRAGMENT_SAFE, errors="replace")


def href(page: PageFacts, anchor: str = "") -> str:
    """The link to a page at an anchor, escaped as a fragment; "" = the top of the page."""
    address = page.address or page.url
    return f"{address}#{_fragment(anchor)}" if anchor else address
