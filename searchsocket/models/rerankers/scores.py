"""The one test that scores pass before anything is ordered by them."""

import math
from collections.abc import Iterable

from searchsocket.models.rerankers.errors import BadRerankScores


def checked(found: Iterable[tuple[object, object]], texts: int, top_n: int, origin: str) -> tuple[float | None, ...]:
    """Scores by position.

    Args:
        found: Positions and scores, in any order.
        texts: How many there are to be scored.
        top_n: How many of them must be.
        origin: Who scored them, for the message.

    Raises:
        BadRerankScores: Another number of scores, a position twice or beyond the texts, or a score that is none.
    """
    scores: dict[int, float] = {}
    for position, score in found:
        if isinstance(position, bool) or not isinstance(position, int) or not 0 <= position < texts:
            raise BadRerankScores(f"{origin} scored text {str(position)[:20]} of {texts}")
        if isinstance(score, bool) or not isinstance(score, int | float) or not math.isfinite(score):
            raise BadRerankScores(f"{origin} returned a score that is not a number: {str(score)[:20]}")
        if position in scores:
            raise BadRerankScores(f"{origin} scored text {position} twice")
        scores[position] = float(score)
    if len(scores) != top_n:
        raise BadRerankScores(f"{origin} returned {len(scores)} scores, not {top_n}")
    return tuple(scores.get(position) for position in range(texts))
