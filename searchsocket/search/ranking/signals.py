"""Rank the candidates of a query by all signals (docs/notes/ranking.md)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from searchsocket.search.ranking.boosts import boosts_of
from searchsocket.search.ranking.exact import exact_scores
from searchsocket.search.ranking.fusion import fuse
from searchsocket.search.ranking.pages import in_page_order, of_pages
from searchsocket.search.ranking.rank import Parts, Ranking, rank, scored
from searchsocket.search.ranking.weights import WEIGHTS, Shares
from searchsocket.stores.base import Candidates, WordSnapshot
from searchsocket.types import Scores

if TYPE_CHECKING:
    from searchsocket.project.settings.model import RankingSettings


@dataclass(frozen=True, slots=True)
class RankingInput:
    """A query and its candidates, as signals see them."""

    q: str
    candidates: Candidates
    shares: Shares
    words: WordSnapshot
    texts: Callable[[Sequence[str]], Sequence[str]]  # of records by id
    settings: "RankingSettings"
    by_page: bool  # rank pages, else chunks


# Name -> bonus of each candidate. A page has the best bonus of its chunks, and one for its names, see `pages.py`.
SIGNALS: Mapping[str, Callable[[RankingInput], Scores]] = {
    "exact": lambda one: exact_scores(one.q, one.candidates, one.texts),
    "passage": lambda one: passage_scores(one.words, one.q, one.candidates.ids, one.shares),
}


def rank_candidates(given: RankingInput) -> Ranking:
    """Rank candidates by meaning and words, boosts and bonuses."""
    found, facts = given.candidates, given.candidates.facts
    fused = fuse(found.cosine, found.bm25, found.page_bm25, given.shares)
    boosts = boosts_of(facts, given.settings, given.q)
    return _ordered(given, Parts(fused, boosts, {name: bonus(given) for name, bonus in SIGNALS.items()}))


def rerank_candidates(given: RankingInput, order: Ranking, scores: Scores) -> Ranking:
    """Rank candidates again with the scores of a reranker.

    Args:
        order: From `rank_candidates`.
    """
    assert order.chunks
    chunks = replace(order.chunks, reranked=scores, rerank_weight=given.settings.weights.rerank)
    return replace(_ordered(given, chunks), is_judged=True)


def _ordered(given: RankingInput, chunks: Parts) -> Ranking:
    facts = given.candidates.facts
    ranked = rank(facts, chunks)
    if not given.by_page:
        return Ranking(ranked, chunks, chunks=chunks)
    pages = of_pages(facts, chunks, given.q, given.shares, given.words.rarities(given.q))
    scores = scored(facts, pages)
    return Ranking(in_page_order(ranked, scores), pages, scores, chunks)


def passage_scores(words: WordSnapshot, q: str, ids: Sequence[str], shares: Shares) -> Scores:
    """The bonus of each record for adjacent query words that are also adjacent in it, and for containing most of them.

    Args:
        shares: What saying all words is worth; the words are looked for only where it is something.
    """
    gains: Scores = WEIGHTS.neighbours * np.array(words.neighbours(q, ids), np.float64)
    if shares.together:
        # Squared, since half of a question is said by many passages that answer another one.
        proximity = np.square(np.array(words.together(q, ids), np.float64))
        gains += shares.together * (proximity - proximity.min(initial=1.0))
    return gains
