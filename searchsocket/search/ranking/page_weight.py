"""Weight of pages as a factor of their score: by their author, and lower for listings and dated pages (spec 13.1).

Generated listings and dated pages (posts, release notes, upgrade guides) repeat the words of the guides, so guides rank
above them.
"""

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from searchsocket.search.ranking.names import names_identifier
from searchsocket.stores.base.index_reader import Facts
from searchsocket.types import Scores

if TYPE_CHECKING:
    from searchsocket.project.settings.model import RankingSettings


_WEIGHTS = (0.01, 100.0)  # bounds of an author's page weight
LISTING_SHARE = 0.5  # factor of such a page compared with a guide
_LISTING = re.compile(
    r"/_(?:modules|sources?)(?:/|$)"  # Sphinx
    r"|/(?:genindex|py-modindex|modindex)(?:-[\w-]+)?(?:\.html?)?$"
    r"|/(?:index-all|allclasses(?:-\w+)?|allpackages-index|src-html/.+|index-files/.+)(?:\.html?)?$"  # Javadoc
    r"|_8\w{1,8}_source(?:\.html?)?$"  # Doxygen
    r"|/src/.+\.rs(?:\.html?)?$"  # rustdoc
    # Lists of posts, by tag, category, author, date or page, at the top of a site or of its blog.
    r"|^(?:/[a-z]{2}(?:-[a-z]{2})?)?(?:/(?:blog|posts|news|articles))?"
    r"/(?:tags?|categor(?:y|ies)|archives?|authors?|page/\d+)(?:/[^/]+)*(?:\.html?)?$"
    r"|^/(?:[^/]+/)*page/\d+(?:\.html?)?$"
)
DATED_SHARE = 0.9  # factor of such a page compared with a guide
_DATED = re.compile(
    r"/(?:19|20)\d\d(?:/\d\d?/|-\d\d-\d\d)"  # a day, or a month
    r"|/(?:blog|posts|announcements)/."
    r"|/(?:release-?notes?|releases|releaselog|change-?logs?|changes|whats-?new|news|migration)/"
    r"|/(?:releases|change-?logs?|changes|whats-?new|news)(?:\.html?)?$"
    r"|/(?:release-?notes?|release-v?\d|(?:migrat|upgrad)(?:e|ing|ion)(?![a-z]))[^/]*$",
    re.IGNORECASE,
)
# A query with such a word may ask for one of them; so may a number, which may be a version or a year.
_ASKS_FOR_DATED = re.compile(
    r"\d|\b(?:migrat|upgrad|releas|chang|new|blog|announc|version|histor|deprecat|remov|break)", re.IGNORECASE
)


def page_weights(facts: Facts, settings: "RankingSettings", q: str = "") -> Scores:
    """Return the factor of each record: its author's weight of the page, lower for listings and dated pages.

    Args:
        q: The query. If it names an identifier, source listings are not demoted. If it may ask for a post or release
            notes, those are not demoted.
    """
    weight = np.where(np.isfinite(facts.weight), facts.weight, 1.0)
    urls = set(facts.url)
    if settings.demote_listings and not names_identifier(q):
        weight = weight * _shares(facts.url, set(filter(is_listing, urls)), LISTING_SHARE)
    if settings.demote_occasions and not asks_for_dated_page(q):
        weight = weight * _shares(facts.url, set(filter(is_dated_page, urls)), DATED_SHARE)
    return np.minimum(np.maximum(weight, _WEIGHTS[0]), _WEIGHTS[1])


def _shares(urls: Sequence[str], less: Collection[str], share: float) -> Scores | float:
    """Return the factor of each record: `share` for the pages in `less`, otherwise 1."""
    return np.array([share if url in less else 1.0 for url in urls]) if less else 1.0


@lru_cache(maxsize=1 << 14)  # queries share pages
def is_listing(url: str) -> bool:
    """Return True if a generator uses this path for a source listing or an index of names."""
    return _LISTING.search(url) is not None


@lru_cache(maxsize=1 << 14)  # queries share pages
def is_dated_page(url: str) -> bool:
    """Return True if a path belongs to a post or release note."""
    return _DATED.search(url) is not None


def asks_for_dated_page(q: str) -> bool:
    """Return True if a query may ask for such a page."""
    return _ASKS_FOR_DATED.search(q) is not None
