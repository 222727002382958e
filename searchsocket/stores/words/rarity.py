"""Rank records only by the terms that they contain, with a weight per term by its rarity."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from tantivy import Occur, Query

from searchsocket.stores.words.index import WordIndex
from searchsocket.types import MATCH_ALL


class Rare(NamedTuple):
    """A record that contains some of the terms."""

    doc: int
    score: float
    terms: tuple[str, ...]


def best_by_rarity(index: WordIndex, records: int, terms: Sequence[str], top_k: int) -> list[Rare]:
    """The best records and those that tie with the last, in no particular order; see `WordSnapshot.by_rarity`."""
    present = {term: query for term in dict.fromkeys(terms) if (query := index.anywhere(term))}
    if not present or top_k <= 0:
        return []
    worth = {term: math.log1p(records / index.count(query)) for term, query in present.items()}
    clauses = [(Occur.Should, Query.const_score_query(query, worth[term])) for term, query in present.items()]
    docs, _ = index.best(Query.boolean_query(clauses), MATCH_ALL, top_k)
    among = {term: index.among(query, docs) for term, query in present.items()}
    matches = [(doc, tuple(term for term in present if doc in among[term])) for doc in docs.tolist()]
    return [Rare(doc, math.fsum(worth[term] for term in own), own) for doc, own in matches]
