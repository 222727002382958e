"""Bonus of each page for query words in its title, path and section anchors (docs/notes/ranking.md)."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from searchsocket.search.ranking.weights import WEIGHTS
from searchsocket.text.words import index_words, parse_query
from searchsocket.types import Scores

# Words that compare two subjects match neither: "call vs fork".
COMPARISON = frozenset({"vs", "versus", "differ", "compar", "comparison"})
_COMPARES = COMPARISON | {"or"}


class PageNames(NamedTuple):
    """The words of the names of a page."""

    title: frozenset[str]
    slug: frozenset[str]  # the last part of the path
    both: frozenset[str]  # title and path


def name_features(
    q: str,
    pages: Sequence[tuple[str, str]],
    codes: Sequence[int],
    anchors: Sequence[str],
    rarities: Mapping[str, float],
) -> dict[str, Scores]:
    """Return the bonus of each page, by feature.

    Args:
        pages: Title and path of each page.
        codes: The number of the page of each candidate.
        anchors: The anchor of each candidate.
        rarities: Rarities of the words of the query, see `WordSnapshot.rarities`.
    """
    words, plain = query_words(q)
    names = list(map(_names_of, pages))
    covered = [words & page_names.both for page_names in names]
    share = _shares(q, rarities)
    # Pages cover few different parts of a query.
    share_of = {part: sum([share[word] for word in part]) for part in set(covered)}
    covered_shares = [share_of[part] for part in covered]
    for code, anchor in set(zip(codes, anchors, strict=True)):
        if not words.isdisjoint(in_anchor := _words_between(anchor)):
            more = share_of[covered[code]] + sum([share[word] for word in in_anchor & words - covered[code]])
            covered_shares[code] = max(covered_shares[code], more)
    compares = not plain.isdisjoint(_COMPARES)
    covered_gains = [WEIGHTS.all_names * covered_share for covered_share in covered_shares]
    slugs, named, compared = [0.0] * len(names), [0.0] * len(names), [0.0] * len(names)
    for at, (title, slug, both) in enumerate(names):
        if not plain.isdisjoint(slug):
            slugs[at] = WEIGHTS.slug * len(slug & plain) / len(slug)
        if title and words <= both:
            named[at] = WEIGHTS.named * len(title & plain) / len(title)
        if compares and title and title <= plain:
            compared[at] = WEIGHTS.compared_title
    gains = np.array([covered_gains, slugs, named, compared], np.float64)
    return dict(zip(("all_names", "slug", "named", "compared_title"), gains, strict=True))


def _shares(q: str, rarities: Mapping[str, float]) -> dict[str, float]:
    """Return the share of each word in the query, by rarity; words that are on no page count as the rarest."""
    parsed = parse_query(q).words
    counted = [word for word in parsed if not word.is_stop] or parsed
    total = sum(rarities[word.exact] for word in counted) or 1.0
    return {word.stem or word.exact: rarities[word.exact] / total for word in counted}


@lru_cache(maxsize=64)
def query_words(q: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of a query without stop words, and all words in their indexed form."""
    parsed = parse_query(q).words
    stems = {word.stem or word.exact for word in parsed if not word.is_stop} or {word.exact for word in parsed}
    return frozenset(stems), frozenset(index_words(q))


@lru_cache(maxsize=1 << 13)  # queries share pages
def _names_of(page: tuple[str, str]) -> PageNames:
    title, url = page
    in_title = frozenset(index_words(title))
    return PageNames(
        in_title,
        _words_between(url.rstrip("/").rpartition("/")[2]),
        in_title | frozenset(index_words(url.replace("/", " "))),
    )


@lru_cache(maxsize=1 << 14)
def _words_between(name: str) -> frozenset[str]:
    """Return the words of a slug or anchor."""
    return frozenset(index_words(name.replace("-", " ").replace("_", " ")))
