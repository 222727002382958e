"""nDCG@10, MRR@10 and recall of rankings, over all queries and by class."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bench.relevance.collection import Collection

Ranking = Mapping[str, Sequence[str]]  # query id -> document ids, best first


@dataclass(frozen=True, slots=True)
class Quality:
    """Means over the queries of one class of one collection."""

    queries: int
    ndcg10: float
    mrr10: float
    recall10: float
    recall50: float


def ndcg(ranked: Sequence[str], grades: Mapping[str, int], depth: int = 10) -> float:
    """Discounted gain of the first `depth`, over that of the best possible order; gain = grade."""
    gain = sum(grades.get(document, 0) / math.log2(rank + 2) for rank, document in enumerate(ranked[:depth]))
    ideal = sorted(grades.values(), reverse=True)[:depth]
    return gain / sum(grade / math.log2(rank + 2) for rank, grade in enumerate(ideal))


def reciprocal_rank(ranked: Sequence[str], grades: Mapping[str, int], depth: int = 10) -> float:
    """1 / rank of the first right document, 0 when none is among the first `depth`."""
    return next((1 / (rank + 1) for rank, document in enumerate(ranked[:depth]) if document in grades), 0.0)


def recall(ranked: Sequence[str], grades: Mapping[str, int], depth: int) -> float:
    """Share of the right documents among the first `depth`."""
    return len(set(ranked[:depth]) & set(grades)) / len(grades)


def evaluate(collection: Collection, ranking: Ranking) -> dict[str, Quality]:
    """Quality by query class, `all` first."""
    judged = [query for query in collection.queries if collection.grades.get(query.id)]
    groups = {"all": [query.id for query in judged]}
    for query in sorted(judged, key=lambda query: query.kind):
        groups.setdefault(query.kind, []).append(query.id)
    return {kind: _quality(ids, ranking, collection.grades) for kind, ids in groups.items()}


def _quality(ids: Sequence[str], ranking: Ranking, grades: Mapping[str, Mapping[str, int]]) -> Quality:
    pairs = [(ranking.get(query, ()), grades[query]) for query in ids]
    return Quality(
        len(pairs),
        _mean(ndcg(ranked, right) for ranked, right in pairs),
        _mean(reciprocal_rank(ranked, right) for ranked, right in pairs),
        _mean(recall(ranked, right, 10) for ranked, right in pairs),
        _mean(recall(ranked, right, 50) for ranked, right in pairs),
    )


def _mean(values: Iterable[float]) -> float:
    kept = list(values)
    return sum(kept) / len(kept) if kept else 0.0
