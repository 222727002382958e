"""Scores of pages: the best meaning and the best words of their chunks, and the match of their names."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from searchsocket.search.ranking.fusion import fuse_pages
from searchsocket.search.ranking.rank import Parts, Ranked
from searchsocket.search.ranking.shares import Shares
from searchsocket.stores.base import Facts
from searchsocket.text.words import index_text, parse_query
from searchsocket.types import Scores

# A page that answers in two sections is more about the query than one that mentions it once.
_SECOND = 0.05
# The share of the query's words in title and path ...
_IN_NAME = 0.05
# ... and, where all are there, the share of the title that the query says: rather than a page with a longer name.
_NAMED = 0.3


def of_pages(facts: Facts, parts: Parts, q: str, shares: Shares) -> Parts:
    """The parts of the pages instead of the chunks', equal for all chunks of a page."""
    pages = _Pages(facts)
    fused = fuse_pages(parts.found, pages.best, shares)
    second = _SECOND * pages.second(parts.found.fused, facts.kind)
    bonuses = {name: pages.best(scores) for name, scores in parts.bonuses.items()}
    bonuses["exact"] = bonuses["exact"] + pages.called(q)
    reranked = None if parts.reranked is None else pages.best(parts.reranked)
    return replace(parts, found=replace(fused, second=second), bonuses=bonuses, reranked=reranked)


def in_page_order(ranked: Sequence[Ranked], scores: Scores) -> list[Ranked]:
    """Chunks by the scores of their pages; on a page, and among pages that score alike, as they were."""
    positions = [chunk.position for chunk in ranked]
    return [ranked[at] for at in np.argsort(-scores[positions], kind="stable").tolist()] if positions else []


class _Pages:
    """Candidates by page."""

    def __init__(self, facts: Facts) -> None:
        titles = dict(zip(facts.url, facts.title, strict=True))
        self._names = list(zip(titles.values(), titles, strict=True))  # title and path of each page
        codes = dict(zip(titles, range(len(titles)), strict=True))
        self._codes = np.array(list(map(codes.__getitem__, facts.url)), np.int64)

    def best(self, values: Scores) -> Scores:
        """The greatest value of the chunks of each page, for each of them."""
        best = np.full(len(self._names), -np.inf)
        np.maximum.at(best, self._codes, values)
        return best[self._codes]

    def second(self, fused: Scores, kinds: Sequence[str]) -> Scores:
        """The score of the second best section of each page alone; 0 if there is at most one."""
        sections = np.flatnonzero(np.array(kinds) != "summary")
        order = sections[np.lexsort((-fused[sections], self._codes[sections]))]
        of = self._codes[order]
        is_second = np.zeros(len(order), bool)
        is_second[1:] = of[1:] == of[:-1]
        is_second[2:] &= of[2:] != of[:-2]
        second = np.zeros(len(self._names))
        second[of[is_second]] = fused[order[is_second]]
        return second[self._codes]

    def called(self, q: str) -> Scores:
        """The bonus of each page for the share of its title and path in the query."""
        words, plain = query_words(q)
        gains = [0.0] * len(self._names)
        for at, page in enumerate(self._names):
            in_title, in_both = _words_of(page)
            if words.isdisjoint(in_both):
                continue
            covered = words & in_both
            if covered != words or not in_title:
                gains[at] = _IN_NAME * len(covered) / len(words)
            else:
                gains[at] = _IN_NAME + _NAMED * len(in_title & plain) / len(in_title)
        return np.array(gains, np.float64)[self._codes]


@lru_cache(maxsize=64)
def query_words(q: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words of a query that count, and all as the index keeps them."""
    parsed = parse_query(q).words
    stems = {word.stem or word.exact for word in parsed if not word.is_stop} or {word.exact for word in parsed}
    return frozenset(stems), frozenset(index_text(q).split())


@lru_cache(maxsize=1 << 13)  # the same pages are found again and again
def _words_of(page: tuple[str, str]) -> tuple[frozenset[str], frozenset[str]]:
    """The words of a title, and those of title and path."""
    title, url = page
    in_title = frozenset(index_text(title).split())
    return in_title, in_title | frozenset(index_text(url.replace("/", " ")).split())
