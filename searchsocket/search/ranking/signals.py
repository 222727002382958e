"""Rank the candidates of a query by all signals (docs/notes/ranking.md)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from searchsocket.search.ranking.boosts import boosts_of
from searchsocket.search.ranking.exact import exact_scores
from searchsocket.search.ranking.fusion import fuse
from searchsocket.search.ranking.pages import in_page_order, of_pages
from searchsocket.search.ranking.rank import Parts, Ranking, rank, score_candidates
from searchsocket.search.ranking.weights import WEIGHTS, Shares
from searchsocket.stores.base import Candidates, WordSnapshot
from searchsocket.types import Scores

if TYPE_CHECKING:
    from searchsocket.project.settings.model import RankingSettings


@dataclass(frozen=True, slots=True)
class RankingInput:
    """A query and its candidates: the input of every signal."""

    q: str
    candidates: Candidates
    shares: Shares
    words: WordSnapshot
    texts: Callable[[Sequence[str]], Sequence[str]]  # of records by id
    settings: "RankingSettings"
    by_page: bool  # rank pages, else chunks


# Name -> bonus of each candidate. A page has the best bonus of its chunks, and one for its names, see `pages.py`.
SIGNALS: Mapping[str, Callable[[RankingInput], Scores]] = {
    "exact": lambda inputs: exact_scores(inputs.q, inputs.candidates, inputs.texts),
    "passage": lambda inputs: passage_scores(inputs.words, inputs.q, inputs.candidates.ids, inputs.shares),
}


def rank_candidates(inputs: RankingInput) -> Ranking:
    """Rank candidates by meaning and words, boosts and bonuses."""
    candidates = inputs.candidates
    lists = fuse(candidates.cosine, candidates.bm25, candidates.page_bm25, inputs.shares)
    boosts = boosts_of(candidates.facts, inputs.settings, inputs.q)
    return _order(inputs, Parts(lists, boosts, {name: bonus(inputs) for name, bonus in SIGNALS.items()}))


def rerank_candidates(inputs: RankingInput, order: Ranking, scores: Scores) -> Ranking:
    """Rank candidates again with the scores of a reranker.

    Args:
        order: From `rank_candidates`.
    """
    assert order.chunks
    chunks = replace(order.chunks, reranked=scores, rerank_weight=inputs.settings.weights.rerank)
    return replace(_order(inputs, chunks), is_judged=True)


def _order(inputs: RankingInput, chunks: Parts) -> Ranking:
    facts = inputs.candidates.facts
    ranked = rank(facts, chunks)
    if not inputs.by_page:
        return Ranking(ranked, chunks, chunks=chunks)
    pages = of_pages(facts, chunks, inputs.q, inputs.shares, inputs.words.rarities(inputs.q))
    scores = score_candidates(facts, pages)
    return Ranking(in_page_order(ranked, scores), pages, scores, chunks)


def passage_scores(words: WordSnapshot, q: str, ids: Sequence[str], shares: Shares) -> Scores:
    """Return the bonus of each record for query words that are adjacent in it too, and for containing most of them.

    Args:
        shares: `together` is the bonus for all words; if it is 0, they are not searched.
    """
    gains: Scores = WEIGHTS.neighbours * np.array(words.neighbours(q, ids), np.float64)
    if shares.together:
        # Squared, since many passages that answer another question contain half of the words.
        proximity = np.square(np.array(words.together(q, ids), np.float64))
        gains += shares.together * (proximity - proximity.min(initial=1.0))
    return gains
