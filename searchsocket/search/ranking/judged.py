"""Combine a reranker's scores with the original order; exact matches stay first (spec 13.2)."""

from collections.abc import Sequence

import numpy as np

from searchsocket.search.ranking.fusion import min_max
from searchsocket.types import Scores

# At the usual weight of 1 the reranker has this share of what finding gives, and the order before it the rest.
# Both lie in [0, 1], and so does their mix: what `exact.py` adds for a title, or one word, stays above all of it.
SHARE = 0.8


def judged(positions: Sequence[int], scores: Sequence[float | None], candidates: int) -> Scores:
    """Scores by candidate, scaled over those that have one; 0 for all others, which are not better than any of these.

    Args:
        positions: Of the candidates that were judged.
        scores: What they got; None = not among the best.
    """
    column = np.zeros(candidates)
    scored = [(position, score) for position, score in zip(positions, scores, strict=True) if score is not None]
    if scored:
        judged_positions, values = zip(*scored, strict=True)
        # Where all are equal the reranker says nothing but that others are worse.
        column[list(judged_positions)] = min_max(np.array(values, np.float64)) if min(values) < max(values) else 1.0
    return column


def mixed(fused: Scores, reranked: Scores, weight: float) -> Scores:
    """The retrieval score of reranked candidates, in [0, 1].

    Args:
        weight: `ranking.weights.rerank`, in [0, 1].
    """
    share = SHARE * weight
    return (1.0 - share) * fused + share * reranked
