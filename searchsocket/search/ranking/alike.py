"""Collapse passages with the same text, such as versions of a page or copies of a note, into the best one."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

import numpy as np

from searchsocket.content.markdown.chunk_text import ChunkText
from searchsocket.search.ranking.fusion import FusedScores

MAX_COMPARED = 20  # the best chunks; later ones are not compared
# Equal texts have nearly equal scores, so only the texts of such pairs are read ...
_NEAR_COSINE = 0.02
_NEAR_BM25 = 0.04  # of the greater score
# ... and are copies if they share this part of their runs of words.
_MIN_SHARE = 0.75
_RUN = 3  # words
_FEWEST_WORDS = 12  # shorter passages are similar by chance
_WORD = re.compile(r"\w+")
_ABOVE = np.triu(np.ones((MAX_COMPARED, MAX_COMPARED), np.bool_), 1)  # each pair once


def collapse_copies(
    best: Sequence[int], urls: Sequence[str], fused: FusedScores, texts: Callable[[Sequence[int]], Sequence[ChunkText]]
) -> Mapping[int, tuple[int, ...]]:
    """Map the position of each chunk with copies to those of its copies on other pages, best first.

    Args:
        best: Positions of the chunks to compare, best first.
        urls: URLs of the candidates.
        texts: Returns the texts of candidates by position.
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
    """Return pairs of positions on different pages with nearly equal scores, the better first."""
    cosine, bm25 = fused.cosine[best], fused.bm25[best]
    near = np.abs(cosine[:, None] - cosine) <= _NEAR_COSINE
    near &= np.abs(bm25[:, None] - bm25) <= _NEAR_BM25 * np.maximum(bm25[:, None], bm25)
    near &= bm25 > 0
    near &= _ABOVE[: len(best), : len(best)]
    pairs = ((best[i], best[j]) for i, j in zip(*map(np.ndarray.tolist, np.nonzero(near)), strict=True))
    return [(better, worse) for better, worse in pairs if urls[better] != urls[worse]]


def _is_copy(a: ChunkText, b: ChunkText) -> bool:
    shorter, longer = sorted((len(a.text), len(b.text)))
    if shorter < _MIN_SHARE * longer:  # fast: this rejects most pairs
        return False
    if not a.kinds.strip("c") or not b.kinds.strip("c"):
        return False  # equal code in two files is shown twice
    return _share(_runs(a.text), _runs(b.text)) >= _MIN_SHARE


@lru_cache(maxsize=1 << 9)  # popular chunks are compared often
def _runs(text: str) -> frozenset[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    if len(words) < _FEWEST_WORDS:
        return frozenset()
    return frozenset(zip(*(words[at:] for at in range(_RUN)), strict=False))


def _share(a: frozenset[tuple[str, ...]], b: frozenset[tuple[str, ...]]) -> float:
    return len(a & b) / len(a | b) if a and b else 0.0
