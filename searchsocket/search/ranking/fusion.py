"""Three lists of scores made one: each scaled to [0, 1] over all candidates, then mixed (docs/notes/ranking.md)."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from searchsocket.search.ranking.shares import FEW_WORDS
from searchsocket.search.ranking.weights import Shares
from searchsocket.types import Scores

# Words that stand everywhere score less: how much less or more is chance and rounding, which scaling would blow up.
_SILENT = 1e-3


@dataclass(frozen=True, slots=True)
class FusedScores:
    """Scores of the candidates per list, by column."""

    cosine: Scores  # in [-1, 1]
    bm25: Scores  # 0 where the keyword list does not hold it
    page_bm25: Scores  # of the whole page that it is on; 0 where the list of pages does not hold that
    vector: Scores  # cosine scaled over the candidates, in [0, 1]
    keyword: Scores  # bm25 scaled likewise
    page: Scores  # page_bm25 scaled likewise
    fused: Scores  # the three by their shares, in [0, 1]
    second: Scores  # what a page gains by its second section, see `pages.py`; 0 of chunks


def fuse(cosine: ArrayLike, bm25: ArrayLike, page_bm25: ArrayLike, shares: Shares = FEW_WORDS) -> FusedScores:
    """The lists of equal length as columns that can be compared, and mixed; a NaN counts as the least."""
    cosines = np.array(cosine, np.float64)
    cosines = np.minimum(np.maximum(np.where(np.isnan(cosines), -1.0, cosines), -1.0), 1.0)
    words, pages = _positive(bm25), _positive(page_bm25)
    return _mixed(cosines, words, pages, min_max(pages), shares, np.zeros(len(words)))


def fuse_pages(chunks: FusedScores, best: Callable[[Scores], Scores], shares: Shares, second: Scores) -> FusedScores:
    """The columns of the pages of chunks.

    Args:
        best: Gives each chunk the greatest value of its page's.
    """
    return _mixed(best(chunks.cosine), best(chunks.bm25), chunks.page_bm25, chunks.page, shares, second)


def _mixed(cosines: Scores, words: Scores, pages: Scores, page: Scores, shares: Shares, second: Scores) -> FusedScores:
    vector, keyword = min_max(cosines), min_max(words)
    mixed = np.minimum(shares.meaning * vector + shares.words * keyword + shares.page * page, 1.0)
    return FusedScores(cosines, words, pages, vector, keyword, page, mixed, second)


def _positive(scores: ArrayLike) -> Scores:
    """The scores with 0 for what says nothing, is negative, NaN or infinite."""
    values = np.array(scores, np.float64)
    return np.where(np.isfinite(values) & (values >= _SILENT), values, 0.0)


def min_max(values: Scores) -> Scores:
    """Values scaled so that the least is 0 and the greatest 1; where all are equal, 1 if positive and else 0."""
    if not len(values):
        return values
    low, high = values.min(), values.max()
    if high <= low:
        return np.full(len(values), 1.0 if high > 0 else 0.0)
    scaled: Scores = (values - low) / (high - low)
    return scaled
