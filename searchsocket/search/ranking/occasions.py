"""Recognize pages of an occasion: a dated post, release notes, or an upgrade guide.

They repeat the words of the guides, but are read once, so guides rank above them.
"""

import re
from functools import lru_cache

SHARE = 0.9  # factor of such a page compared with a guide
_OCCASION = re.compile(
    r"/(?:19|20)\d\d(?:/\d\d?/|-\d\d-\d\d)"  # a day, or a month
    r"|/(?:blog|posts|announcements)/."
    r"|/(?:release-?notes?|releases|releaselog|change-?logs?|changes|whats-?new|news|migration)/"
    r"|/(?:releases|change-?logs?|changes|whats-?new|news)(?:\.html?)?$"
    r"|/(?:release-?notes?|release-v?\d|(?:migrat|upgrad)(?:e|ing|ion)(?![a-z]))[^/]*$",
    re.IGNORECASE,
)
# A query with such a word may ask for one of them; so may a number, which may be a version or a year.
_ASKS_FOR_OCCASION = re.compile(
    r"\d|\b(?:migrat|upgrad|releas|chang|new|blog|announc|version|histor|deprecat|remov|break)", re.IGNORECASE
)


@lru_cache(maxsize=1 << 14)  # queries share pages
def is_occasion(url: str) -> bool:
    """Return True if a path belongs to a post or release note."""
    return _OCCASION.search(url) is not None


def asks_for_occasion(q: str) -> bool:
    """Return True if a query may ask for such a page."""
    return _ASKS_FOR_OCCASION.search(q) is not None
