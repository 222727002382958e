"""Scores of pages: the best meaning and the best words of their chunks, and the match of their names."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from searchsocket.search.ranking.fusion import fuse_pages
from searchsocket.search.ranking.names import name_scores
from searchsocket.search.ranking.rank import Parts, Ranked
from searchsocket.search.ranking.weights import WEIGHTS, Shares
from searchsocket.stores.base import Facts
from searchsocket.types import Scores


def of_pages(facts: Facts, parts: Parts, q: str, shares: Shares, rarities: Mapping[str, float]) -> Parts:
    """Return the score parts of pages, from those of their chunks; equal for all chunks of a page.

    Args:
        rarities: Rarities of the words of the query, see `WordSnapshot.rarities`.
    """
    pages = _Pages(facts)
    second = WEIGHTS.second * pages.second(parts.lists.fused, facts.kind)
    lists = fuse_pages(parts.lists, pages.best, shares, second)
    bonuses = {name: pages.best(scores) for name, scores in parts.bonuses.items()}
    bonuses["names"] = pages.name_bonus(q, facts.anchor, rarities)
    reranked = None if parts.reranked is None else pages.best(parts.reranked)
    return replace(parts, lists=lists, bonuses=bonuses, reranked=reranked)


def in_page_order(ranked: Sequence[Ranked], scores: Scores) -> list[Ranked]:
    """Order chunks by the scores of their pages; chunks of a page, and of pages with equal scores, keep their order."""
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
        """Return for each chunk the greatest value of its page's chunks."""
        best = np.full(len(self._names), -np.inf)
        np.maximum.at(best, self._codes, values)
        return best[self._codes]

    def name_bonus(self, q: str, anchors: Sequence[str], rarities: Mapping[str, float]) -> Scores:
        """Return the bonus of each page for its names."""
        return name_scores(q, self._names, self._codes.tolist(), anchors, rarities)[self._codes]

    def second(self, fused: Scores, kinds: Sequence[str]) -> Scores:
        """Return the score of the second best section of each page; 0 if it has at most one."""
        sections = np.flatnonzero(np.array(kinds) != "summary")
        order = sections[np.lexsort((-fused[sections], self._codes[sections]))]
        pages = self._codes[order]
        is_second = np.zeros(len(order), bool)
        is_second[1:] = pages[1:] == pages[:-1]
        is_second[2:] &= pages[2:] != pages[:-2]
        second = np.zeros(len(self._names))
        second[pages[is_second]] = fused[order[is_second]]
        return second[self._codes]
