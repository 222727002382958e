"""Rank records only by the terms that they contain, with a weight per term by its rarity."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from searchsocket.stores.words.bm25 import WordScores, top
from searchsocket.stores.words.fields import OWN
from searchsocket.stores.words.index import Rows

_NO_ROWS = np.empty(0, np.int64)


class Rare(NamedTuple):
    """A record that contains some of the terms."""

    row: int
    score: float
    terms: tuple[str, ...]


def best_by_rarity(scores: WordScores, terms: Sequence[str], top_k: int) -> list[Rare]:
    """The best records and those that tie with the last, in no order; see `WordSnapshot.by_rarity`."""
    count = scores.index.count
    rows_of = {term: rows for term in dict.fromkeys(terms) if len(rows := _rows(scores, term))}
    if not rows_of or top_k <= 0:
        return []
    worth = {term: math.log1p(count / len(rows)) for term, rows in rows_of.items()}
    totals = np.zeros(count)
    for term, rows in rows_of.items():
        totals[rows] += worth[term]
    best, _ = top(np.flatnonzero(totals > 0), totals, top_k)
    among = {term: frozenset(rows[np.isin(rows, best)].tolist()) for term, rows in rows_of.items()}
    matches = [(row, tuple(term for term in rows_of if row in among[term])) for row in best.tolist()]
    return [Rare(row, math.fsum(worth[term] for term in own), own) for row, own in matches]


def _rows(scores: WordScores, term: str) -> Rows:
    """The records with a term in any searched field."""
    occurrences = scores.index.occurrences(term)
    return np.unique(np.concatenate([_NO_ROWS, *(own.rows for field, own in occurrences.items() if field != OWN)]))
