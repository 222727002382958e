"""Pages of an occasion: a post of a day, the notes of a release, the steps of an upgrade.

They say what is new of what the guides explain, in the words of the guides, and are read once.
"""

import re
from functools import lru_cache

SHARE = 0.9  # what such a page scores of what a guide would
_OCCASION = re.compile(
    r"/(?:19|20)\d\d(?:/\d\d?/|-\d\d-\d\d)"  # a day, or a month
    r"|/(?:blog|posts|announcements)/."
    r"|/(?:release-?notes?|releases|releaselog|change-?logs?|changes|whats-?new|news|migration)/"
    r"|/(?:releases|change-?logs?|changes|whats-?new|news)(?:\.html?)?$"
    r"|/(?:release-?notes?|release-v?\d|(?:migrat|upgrad)(?:e|ing|ion)(?![a-z]))[^/]*$",
    re.IGNORECASE,
)
# Who asks like this may mean one of them; so may a number, which is a version or a year.
_ASKED = re.compile(
    r"\d|\b(?:migrat|upgrad|releas|chang|new|blog|announc|version|histor|deprecat|remov|break)", re.IGNORECASE
)


@lru_cache(maxsize=1 << 14)  # the same pages are found again and again
def is_occasion(url: str) -> bool:
    """Return True if a path belongs to a post or release note."""
    return _OCCASION.search(url) is not None


def asks_for_occasion(q: str) -> bool:
    """Return True if a query may look for one."""
    return _ASKED.search(q) is not None
