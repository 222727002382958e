"""The difference between two rankers and its confidence interval: paired bootstrap over the queries."""

from collections.abc import Mapping, Sequence

import numpy as np

from bench.relevance.collection import Collection
from bench.relevance.metrics import Ranking
from bench.relevance.report import SITES
from searchsocket.quality.judgement import ndcg
from searchsocket.types import Scores

DRAWS = 2_000
_SEED = 1
_EDGES = (0.025, 0.975)


def by_query(collection: Collection, ranking: Ranking) -> Scores:
    """nDCG@10 of each judged query."""
    judged = [query.id for query in collection.queries if collection.grades.get(query.id)]
    return np.array([ndcg(ranking.get(one, ()), collection.grades[one]) for one in judged])


def interval(differences: Sequence[Scores]) -> tuple[float, float, float]:
    """The mean over collections of mean differences, and its interval in 95 of 100 draws of the queries."""
    random = np.random.default_rng(_SEED)
    means = np.zeros(DRAWS)
    for one in differences:
        means += one[random.integers(0, len(one), (DRAWS, len(one)))].mean(axis=1)
    low, high = np.quantile(means / len(differences), _EDGES)
    return float(np.mean([one.mean() for one in differences])), float(low), float(high)


def table(scores: Mapping[tuple[str, str], Scores]) -> str:
    """nDCG@10 of the first ranker, and what each other one differs from it.

    Args:
        scores: Of collection and ranker, the rankers in the same order for each collection.
    """
    rankers = list(dict.fromkeys(ranker for _, ranker in scores))
    collections = list(dict.fromkeys(name for name, _ in scores))
    sites = [name for name in collections if name.startswith(SITES)]
    groups = {name: [name] for name in collections} | ({"sites (mean)": sites} if len(sites) > 1 else {})
    lines = []
    for group, names in groups.items():
        lines.append(f"{group}  {rankers[0]}  {np.mean([scores[name, rankers[0]].mean() for name in names]):.3f}")
        for ranker in rankers[1:]:
            mean, low, high = interval([scores[name, ranker] - scores[name, rankers[0]] for name in names])
            lines.append(f"    {ranker:34}  {mean:+.3f} [{low:+.3f}, {high:+.3f}]")
    return "\n".join(lines)
