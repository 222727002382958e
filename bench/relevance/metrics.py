"""nDCG@10, MRR@10 and recall of whole rankings, over all queries and by class."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.relevance.collection import Collection
from searchsocket.quality.judgement import mean, ndcg, recall, reciprocal_rank

Ranking = Mapping[str, Sequence[str]]  # query id -> document ids, best first


@dataclass(frozen=True, slots=True)
class Quality:
    """Means over the queries of one class of one collection."""

    queries: int
    ndcg10: float
    mrr10: float
    recall10: float
    recall50: float


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
        mean(ndcg(ranked, right) for ranked, right in pairs),
        mean(reciprocal_rank(ranked, right) for ranked, right in pairs),
        mean(recall(ranked, right, 10) for ranked, right in pairs),
        mean(recall(ranked, right, 50) for ranked, right in pairs),
    )
