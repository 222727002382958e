"""The order of chunks: fused score, boosts, page weight, and a rule for every tie."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from searchsocket.search.ranking.boosts import Boosts
from searchsocket.search.ranking.fusion import Fused
from searchsocket.stores.base import Facts
from searchsocket.types import Scores

# Scores that differ by less come from the order in which a machine adds, not from the texts.
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Parts:
    """What the scores of the candidates are made of, by column."""

    found: Fused
    boosts: Boosts
    exact: Scores  # see `exact.Exactness`


class Ranked(NamedTuple):
    """One chunk with its score in [0, 1], comparable only within one answer."""

    score: float
    position: int  # among the candidates


def rank(facts: Facts, parts: Parts) -> list[Ranked]:
    """Chunks best first; equal scores in path order, on a page by place and id. Pages of weight 0 are left out."""
    visible = np.flatnonzero(~(facts.weight <= 0))
    if not len(visible):
        return []
    found, boosts = parts.found, parts.boosts
    # Pages may weigh more than 1; dividing by the most keeps scores in [0, 1] and the order as it is.
    scale = (1.0 + boosts.most + parts.exact[visible].max()) * max(1.0, boosts.weight[visible].max())
    sums = found.fused + boosts.links + boosts.depth + parts.exact
    scores = np.round(sums * boosts.weight / scale, _DIGITS)
    best = visible[np.lexsort((facts.order[visible], -scores[visible]))]
    return list(map(Ranked, scores[best].tolist(), best.tolist()))
