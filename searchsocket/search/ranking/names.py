"""Bonus of each page for what its names say: title, path and the anchors of its sections (docs/notes/ranking.md)."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from searchsocket.search.ranking.weights import WEIGHTS
from searchsocket.text.words import index_text, parse_query
from searchsocket.types import Scores

# Words that compare two things say nothing about either: "call vs fork".
COMPARISON = frozenset({"vs", "versus", "differ", "compar", "comparison"})
_COMPARES = COMPARISON | {"or"}


class PageNames(NamedTuple):
    """The words of the names of a page."""

    title: frozenset[str]
    slug: frozenset[str]  # the last part of the path
    both: frozenset[str]  # of title and path


def name_scores(
    q: str,
    pages: Sequence[tuple[str, str]],
    codes: Sequence[int],
    anchors: Sequence[str],
    rarities: Mapping[str, float],
) -> Scores:
    """The bonus of each page.

    Args:
        pages: Title and path of each page.
        codes: The number of the page of each candidate.
        anchors: The anchor of each candidate.
        rarities: Of the words of the query, see `WordSnapshot.rarities`.
    """
    words, plain = query_words(q)
    names = list(map(_names_of, pages))
    covered = [words & one.both for one in names]
    share = _shares(q, rarities)
    # Pages cover few different parts of a query.
    worth = {part: sum([share[word] for word in part]) for part in set(covered)}
    said = [worth[part] for part in covered]
    for code, anchor in set(zip(codes, anchors, strict=True)):
        if not words.isdisjoint(in_anchor := _words_between(anchor)):
            more = worth[covered[code]] + sum([share[word] for word in in_anchor & words - covered[code]])
            said[code] = max(said[code], more)
    compares = not plain.isdisjoint(_COMPARES)
    gains = [WEIGHTS.all_names * one for one in said]
    for at, (title, slug, both) in enumerate(names):
        if not plain.isdisjoint(slug):
            gains[at] += WEIGHTS.slug * len(slug & plain) / len(slug)
        if title and words <= both:
            gains[at] += WEIGHTS.named * len(title & plain) / len(title)
        if compares and title and title <= plain:
            gains[at] += WEIGHTS.compared_title
    return np.array(gains, np.float64)


def _shares(q: str, rarities: Mapping[str, float]) -> dict[str, float]:
    """The share of the query that each of its words is, by rarity; words that no page has count as the rarest."""
    parsed = parse_query(q).words
    counted = [word for word in parsed if not word.is_stop] or parsed
    total = sum(rarities[word.exact] for word in counted) or 1.0
    return {word.stem or word.exact: rarities[word.exact] / total for word in counted}


@lru_cache(maxsize=64)
def query_words(q: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words of a query that count, and all as the index keeps them."""
    parsed = parse_query(q).words
    stems = {word.stem or word.exact for word in parsed if not word.is_stop} or {word.exact for word in parsed}
    return frozenset(stems), frozenset(index_text(q).split())


@lru_cache(maxsize=1 << 13)  # the same pages are found again and again
def _names_of(page: tuple[str, str]) -> PageNames:
    title, url = page
    in_title = frozenset(index_text(title).split())
    return PageNames(
        in_title,
        _words_between(url.rstrip("/").rpartition("/")[2]),
        in_title | frozenset(index_text(url.replace("/", " ")).split()),
    )


@lru_cache(maxsize=1 << 14)
def _words_between(name: str) -> frozenset[str]:
    """The words of a slug or anchor."""
    return frozenset(index_text(name.replace("-", " ").replace("_", " ")).split())
