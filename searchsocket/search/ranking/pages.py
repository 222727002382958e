"""What a page scores: the best meaning and the best words of any of its chunks, and how much its name says."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from searchsocket.search.ranking.fusion import fuse, shares_of
from searchsocket.search.ranking.rank import Parts, Ranked
from searchsocket.stores.base import Facts
from searchsocket.text.words import index_text, parse_query
from searchsocket.types import Scores

# A page that answers in two sections is more about the query than one that mentions it once.
_SECOND = 0.05
# The share of the query's words in title and path ...
_SAID = 0.05
# ... and, where all are there, the share of the title that the query says: rather than a page with a longer name.
_NAMED = 0.3


def of_pages(facts: Facts, parts: Parts, q: str) -> Parts:
    """The parts of the pages instead of the chunks', equal for all chunks of a page."""
    codes = _codes(facts.url)
    found = parts.found
    fused = fuse(_best(found.cosine, codes), _best(found.bm25, codes), found.page_bm25, shares_of(q))
    second = _SECOND * _second(found.fused, facts.kind, codes)
    exact = _best(parts.exact, codes) + _called(facts, q)
    reranked = None if parts.reranked is None else _best(parts.reranked, codes)
    return replace(parts, found=replace(fused, second=second), exact=exact, reranked=reranked)


def in_page_order(ranked: Sequence[Ranked], scores: Scores) -> list[Ranked]:
    """Chunks by the scores of their pages; on a page, and among pages that score alike, as they were."""
    positions = [chunk.position for chunk in ranked]
    return [ranked[at] for at in np.argsort(-scores[positions], kind="stable").tolist()] if positions else []


def _codes(urls: Sequence[str]) -> NDArray[np.int64]:
    """A number for each page."""
    distinct = dict.fromkeys(urls)
    codes = dict(zip(distinct, range(len(distinct)), strict=True))
    return np.array(list(map(codes.__getitem__, urls)), np.int64)


def _best(values: Scores, codes: NDArray[np.int64]) -> Scores:
    """The greatest value of the chunks of each page, for each of them."""
    best = np.full(len(values), -np.inf)
    np.maximum.at(best, codes, values)
    return best[codes]


def _second(fused: Scores, kinds: Sequence[str], codes: NDArray[np.int64]) -> Scores:
    """What the second best section of each page scores by itself; 0 where there is one at most."""
    sections = np.flatnonzero(np.array(kinds) != "summary")
    order = sections[np.lexsort((-fused[sections], codes[sections]))]
    of = codes[order]
    is_second = np.zeros(len(order), bool)
    is_second[1:] = of[1:] == of[:-1]
    is_second[2:] &= of[2:] != of[:-2]
    second = np.zeros(len(fused))
    second[of[is_second]] = fused[order[is_second]]
    return second[codes]


def _called(facts: Facts, q: str) -> Scores:
    """What each page gains by what its title and path say of the query."""
    parsed = parse_query(q).words
    asked = {word.stem or word.exact for word in parsed if not word.is_stop} or {word.exact for word in parsed}
    said = frozenset(index_text(q).split())
    gains: dict[tuple[str, str], float] = {}
    for page in dict.fromkeys(zip(facts.title, facts.url, strict=True)):
        in_title, in_both = _words_of(page)
        held = asked & in_both
        if not held:
            gains[page] = 0.0
        elif held != asked or not in_title:
            gains[page] = _SAID * len(held) / len(asked)
        else:
            gains[page] = _SAID + _NAMED * len(in_title & said) / len(in_title)
    return np.array([gains[page] for page in zip(facts.title, facts.url, strict=True)], np.float64)


@lru_cache(maxsize=1 << 13)  # the same pages are found again and again
def _words_of(page: tuple[str, str]) -> tuple[frozenset[str], frozenset[str]]:
    """The words of a title, and those of title and path."""
    title, url = page
    in_title = frozenset(index_text(title).split())
    return in_title, in_title | frozenset(index_text(url.replace("/", " ")).split())
