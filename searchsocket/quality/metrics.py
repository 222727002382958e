"""nDCG, reciprocal rank and recall of one ranking, for the benches and the quality gate."""

import math
from collections.abc import Iterable, Mapping, Sequence


def ndcg(ranked: Sequence[str], grades: Mapping[str, int], depth: int = 10) -> float:
    """Return the discounted gain of the first `depth`, divided by that of the best possible order; gain = grade."""
    gain = sum(grades.get(document, 0) / math.log2(rank + 2) for rank, document in enumerate(ranked[:depth]))
    ideal = sorted(grades.values(), reverse=True)[:depth]
    return gain / sum(grade / math.log2(rank + 2) for rank, grade in enumerate(ideal))


def reciprocal_rank(ranked: Sequence[str], grades: Mapping[str, int], depth: int = 10) -> float:
    """Return 1 / rank of the first right document; 0 if none is among the first `depth`."""
    return next((1 / (rank + 1) for rank, document in enumerate(ranked[:depth]) if document in grades), 0.0)


def recall(ranked: Sequence[str], grades: Mapping[str, int], depth: int) -> float:
    """Return the share of the right documents that are among the first `depth`."""
    return len(set(ranked[:depth]) & set(grades)) / len(grades)


def mean(values: Iterable[float]) -> float:
    """Return the mean of the values; 0 without values."""
    numbers = list(values)
    return sum(numbers) / len(numbers) if numbers else 0.0
