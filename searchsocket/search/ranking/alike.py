"""Passages that say the same: of versions of a page, copies of a note, a fragment. The best stands for all of them."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

import numpy as np

from searchsocket.content.markdown.plain_text import ChunkText
from searchsocket.search.ranking.fusion import FusedScores

MAX_COMPARED = 20  # of the best; who asks for more reads them all
# What says the same answers a query alike, so only such pairs are read ...
_NEAR_COSINE = 0.02
_NEAR_BM25 = 0.04  # of the greater
# ... and says the same where this share of its runs of words are the other's.
_MIN_SHARE = 0.75
_RUN = 3
_FEWEST_WORDS = 12  # shorter passages are alike by chance
_WORD = re.compile(r"\w+")
_ABOVE = np.triu(np.ones((MAX_COMPARED, MAX_COMPARED), np.bool_), 1)  # each pair once


def collapsed(
    best: Sequence[int], urls: Sequence[str], fused: FusedScores, texts: Callable[[Sequence[int]], Sequence[ChunkText]]
) -> Mapping[int, tuple[int, ...]]:
    """By the position of each chunk that stands for others: those of the others, best first, on other pages.

    Args:
        best: Positions of the chunks to compare, best first.
        urls: Of the candidates.
        texts: What candidates say, by position.
    """
    pairs = _likely(best, urls, fused)
    if not pairs:
        return {}
    positions = sorted({position for pair in pairs for position in pair})
    text_of = dict(zip(positions, texts(positions), strict=True))
    above: dict[int, int] = {}
    for better, worse in pairs:
        if better not in above and worse not in above and _is_copy(text_of[better], text_of[worse]):
            above[worse] = better
    alike: dict[int, tuple[int, ...]] = {}
    for position in best:
        if (better := above.get(position, -1)) >= 0:
            alike[better] = (*alike.get(better, ()), position)
    return alike


def _likely(best: Sequence[int], urls: Sequence[str], fused: FusedScores) -> list[tuple[int, int]]:
    """Pairs of positions, the better first, that answer the query alike."""
    cosine, bm25 = fused.cosine[best], fused.bm25[best]
    near = np.abs(cosine[:, None] - cosine) <= _NEAR_COSINE
    near &= np.abs(bm25[:, None] - bm25) <= _NEAR_BM25 * np.maximum(bm25[:, None], bm25)
    near &= bm25 > 0
    near &= _ABOVE[: len(best), : len(best)]
    pairs = ((best[one], best[other]) for one, other in zip(*map(np.ndarray.tolist, np.nonzero(near)), strict=True))
    return [(one, other) for one, other in pairs if urls[one] != urls[other]]


def _is_copy(one: ChunkText, other: ChunkText) -> bool:
    shorter, longer = sorted((len(one.text), len(other.text)))
    if shorter < _MIN_SHARE * longer:  # most are told apart by that
        return False
    if not one.kinds.strip("c") or not other.kinds.strip("c"):
        return False  # the same code in two files is two places to look at
    return _share(_runs(one.text), _runs(other.text)) >= _MIN_SHARE


@lru_cache(maxsize=1 << 9)  # popular chunks are compared again and again
def _runs(text: str) -> frozenset[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    if len(words) < _FEWEST_WORDS:
        return frozenset()
    return frozenset(zip(*(words[at:] for at in range(_RUN)), strict=False))


def _share(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> float:
    return len(one & other) / len(one | other) if one and other else 0.0
