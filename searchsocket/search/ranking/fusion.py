"""Fuse three lists of scores: scale each to [0, 1] over all candidates, then mix them (docs/notes/ranking.md)."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from searchsocket.search.ranking.weights import FEW_WORDS, Shares
from searchsocket.types import Scores

# Words on every page score less than this. Their differences are rounding errors, which scaling would amplify.
_SILENT = 1e-3


@dataclass(frozen=True, slots=True)
class FusedScores:
    """Scores of the candidates per list, by column."""

    cosine: Scores  # in [-1, 1]
    bm25: Scores  # 0 if not in the keyword list
    page_bm25: Scores  # of the candidate's whole page; 0 if not in the list of pages
    vector: Scores  # cosine scaled over the candidates, in [0, 1]
    keyword: Scores  # bm25 scaled likewise
    page: Scores  # page_bm25 scaled likewise
    fused: Scores  # the three by their shares, in [0, 1]
    second: Scores  # bonus of a page for its second section, see `signals.py`; 0 for chunks
    shares: Shares = FEW_WORDS


def fuse(cosine: ArrayLike, bm25: ArrayLike, page_bm25: ArrayLike, shares: Shares = FEW_WORDS) -> FusedScores:
    """Scale and mix lists of equal length; a NaN counts as the lowest value."""
    cosines = np.array(cosine, np.float64)
    cosines = np.minimum(np.maximum(np.where(np.isnan(cosines), -1.0, cosines), -1.0), 1.0)
    words, pages = _positive(bm25), _positive(page_bm25)
    return _mix(cosines, words, pages, min_max(pages), shares, np.zeros(len(words)))


def fuse_pages(chunks: FusedScores, best: Callable[[Scores], Scores], shares: Shares, second: Scores) -> FusedScores:
    """Return the scores of pages from those of their chunks.

    Args:
        best: Returns for each chunk the greatest value of its page's chunks.
    """
    return _mix(best(chunks.cosine), best(chunks.bm25), chunks.page_bm25, chunks.page, shares, second)


def _mix(cosines: Scores, words: Scores, pages: Scores, page: Scores, shares: Shares, second: Scores) -> FusedScores:
    vector, keyword = min_max(cosines), min_max(words)
    mixed = np.minimum(shares.meaning * vector + shares.words * keyword + shares.page * page, 1.0)
    return FusedScores(cosines, words, pages, vector, keyword, page, mixed, second, shares)


def _positive(scores: ArrayLike) -> Scores:
    """Replace scores that are tiny, negative, NaN or infinite by 0."""
    values = np.array(scores, np.float64)
    return np.where(np.isfinite(values) & (values >= _SILENT), values, 0.0)


def min_max(values: Scores) -> Scores:
    """Scale values so that the least is 0 and the greatest 1; equal values become 1 if positive, else 0."""
    if not len(values):
        return values
    low, high = values.min(), values.max()
    if high <= low:
        return np.full(len(values), 1.0 if high > 0 else 0.0)
    scaled: Scores = (values - low) / (high - low)
    return scaled
