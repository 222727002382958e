"""Addresses that open a result where it answers."""

from urllib.parse import quote

_FRAGMENT_SAFE = "!$&()*+,;=:@/?-._~"


def href(url: str, anchor: str) -> str:
    """`url#anchor`, with the anchor escaped as a fragment must be; the URL alone where there is no anchor."""
    fragment = quote(anchor, safe=_FRAGMENT_SAFE, errors="replace")
    return f"{url}#{fragment}" if fragment else url
