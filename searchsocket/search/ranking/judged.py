"""Combine a reranker's scores with the original order; exact matches stay first (spec 13.2)."""

from collections.abc import Sequence

import numpy as np

from searchsocket.search.ranking.fusion import min_max
from searchsocket.types import Scores

# Share of the reranker in the retrieval score at weight 1; the original score has the remainder. The mix is in [0, 1],
# so the bonus of `exact.py` for a title or a single word stays above it.
SHARE = 0.8


def candidate_scores(positions: Sequence[int], scores: Sequence[float | None], candidates: int) -> Scores:
    """Return a score per candidate, scaled over those that have one; 0 for the others.

    Args:
        positions: Positions of the candidates that were sent to the reranker.
        scores: Their scores; None: not among the best.
    """
    column = np.zeros(candidates)
    scored = [(position, score) for position, score in zip(positions, scores, strict=True) if score is not None]
    if scored:
        judged_positions, values = zip(*scored, strict=True)
        # Equal scores mean only that the candidates without a score are worse.
        column[list(judged_positions)] = min_max(np.array(values, np.float64)) if min(values) < max(values) else 1.0
    return column


def mix_scores(fused: Scores, reranked: Scores, weight: float) -> Scores:
    """Return the retrieval score of reranked candidates, in [0, 1].

    Args:
        weight: `ranking.weights.rerank`, in [0, 1].
    """
    share = SHARE * weight
    return (1.0 - share) * fused + share * reranked
