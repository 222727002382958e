"""Rank chunks by fused score, boosts and page weight, with a rule for every tie; mix in a reranker's scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from operator import add
from typing import NamedTuple

import numpy as np

from searchsocket.search.answer import Note
from searchsocket.search.ranking.boosts import Boosts
from searchsocket.search.ranking.fusion import FusedScores, min_max
from searchsocket.search.ranking.weights import WEIGHTS
from searchsocket.stores.base import Facts
from searchsocket.types import Scores

# Smaller differences are rounding errors, which depend on the machine.
_DIGITS = 6
# Share of the reranker in the retrieval score at weight 1; the original score has the remainder. The mix is in [0, 1],
# so the bonus of `exact.py` for a title or a single word stays above it.
_RERANKER_SHARE = 0.8
Features = Mapping[str, Scores]  # weighted columns, by the names in `weights.FEATURES`


@dataclass(frozen=True, slots=True)
class Parts:
    """Parts of the candidates' scores, by column."""

    lists: FusedScores
    boosts: Boosts
    weight: Scores  # of the page, a factor
    bonuses: Mapping[str, Scores]  # by signal, see `signals.SIGNALS`
    features: Mapping[str, Features] = field(default_factory=dict)  # of each signal; their sum is its bonus
    reranked: Scores | None = None  # in [0, 1], see `judged.candidate_scores`; None: not reranked
    rerank_weight: float = 0.0

    @property
    def rerank_share(self) -> float:
        """Share of the reranker in the retrieval score."""
        return 0.0 if self.reranked is None else _RERANKER_SHARE * self.rerank_weight

    @property
    def exact(self) -> Scores:
        """Bonus for exact matches, and for pages their name bonus."""
        exact, names = self.bonuses["exact"], self.bonuses.get("names")
        return exact if names is None else exact + names

    @property
    def matches(self) -> Scores:
        """Sum of all bonuses."""
        return reduce(add, self.bonuses.values())


class Ranked(NamedTuple):
    """One chunk with its score in [0, 1], comparable only within one answer."""

    score: float
    position: int  # among the candidates


_as_ranked = partial(tuple.__new__, Ranked)  # called for each candidate; the class itself takes 20 % longer


def rank(facts: Facts, parts: Parts) -> list[Ranked]:
    """Return the chunks, best first, without pages of weight 0; equal scores by path, then position and id."""
    visible = np.flatnonzero(~(facts.weight <= 0))
    scores = score_candidates(facts, parts)
    best = visible[np.lexsort((facts.order[visible], -scores[visible]))]
    return list(map(_as_ranked, zip(scores[best].tolist(), best.tolist(), strict=True)))


def score_candidates(facts: Facts, parts: Parts) -> Scores:
    """Return the score of each candidate, in [0, 1]; undefined for pages of weight 0."""
    visible = ~(facts.weight <= 0)
    if not visible.any():
        return np.zeros(len(visible))
    lists, boosts, weight = parts.lists, parts.boosts, parts.weight
    most = reduce(add, parts.bonuses.values(), lists.second)[visible].max()
    # Pages may weigh more than 1; division by the maximum keeps scores in [0, 1] and their order.
    scale = (1.0 + boosts.most + most) * max(1.0, weight[visible].max())
    first = lists.fused if parts.reranked is None else mix_scores(lists.fused, parts.reranked, parts.rerank_share)
    sums = reduce(add, [*boosts.columns.values(), *parts.bonuses.values()], first + lists.second)
    scores: Scores = np.round(sums * weight / scale, _DIGITS)
    return scores


@dataclass(frozen=True, slots=True)
class Ranking:
    """Ranked candidates, and the parts of their scores."""

    ranked: Sequence[Ranked]  # best first
    parts: Parts | None  # of pages if those are ranked; None without candidates
    scores: Scores | None = None  # of each candidate's page; None if chunks are ranked
    chunks: Parts | None = None  # of the chunks
    notes: tuple[Note, ...] = ()
    is_judged: bool = False  # True after reranking


NOTHING = Ranking((), None)


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


def weights_of(parts: Parts) -> dict[str, float]:
    """Return the weight of each feature, by the names in `weights.FEATURES`; those of boosts are settings."""
    shares, list_share = parts.lists.shares, 1.0 - parts.rerank_share
    lists = {name: list_share * getattr(shares, name) for name in ("meaning", "words", "page")}
    return {**WEIGHTS._asdict(), **lists, "together": shares.together, "rerank": parts.rerank_share}


def parts_of_sum(parts: Parts) -> dict[str, Scores]:
    """Return the terms that `score_candidates` adds up, by the names in `weights.FEATURES`."""
    lists, weights = parts.lists, weights_of(parts)
    terms = {
        "meaning": weights["meaning"] * lists.vector,
        "words": weights["words"] * lists.keyword,
        "page": weights["page"] * lists.page,
        "second": lists.second,
        **parts.boosts.columns,
    }
    if parts.reranked is not None:
        terms["rerank"] = weights["rerank"] * parts.reranked
    for features in parts.features.values():
        terms |= features
    return terms


def mix_scores(fused: Scores, reranked: Scores, share: float) -> Scores:
    """Return the retrieval score of reranked candidates, in [0, 1]; `share` is that of the reranker."""
    return (1.0 - share) * fused + share * reranked
