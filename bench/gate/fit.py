"""The weights of the confidence: logistic regression, and its calibration."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bench.gate.judged import Judged

Array = NDArray[np.float64]
_RIDGE = 1e-5
_STEPS = 30
# What a set weighs beside the true queries of its collection: as rarely as such things are asked.
_WEIGHTS = {"true": 1.0, "off-topic": 0.25, "nonsense": 0.05}


def fit(judged: Sequence[Judged]) -> Array:
    """Weights of the features, by Newton's method; each collection counts the same."""
    return logistic_weights(*_table(judged), _RIDGE)


def logistic_weights(features: Array, right: Array, weights: Array, decay: float) -> Array:
    """Weights of a logistic regression, by Newton's method.

    Args:
        weights: Of the rows; their sum is 1.
        decay: What the square of a weight costs.
    """
    solution = np.zeros(features.shape[1])
    ridge = decay * np.eye(len(solution))
    for _ in range(_STEPS):
        sure = _logistic(features @ solution)
        gradient = features.T @ (weights * (sure - right)) + ridge @ solution
        curvature = (features * (weights * sure * (1 - sure))[:, None]).T @ features + ridge
        solution -= np.linalg.solve(curvature, gradient)
    return solution


def reliability(judged: Sequence[Judged]) -> list[tuple[float, int, float, float]]:
    """For each tenth of confidence: where it begins, results, their mean confidence, and the share that is right."""
    _, right, weights = _table(judged)
    sure = np.array([value for one in judged for value in one.confidences])
    rows = []
    for low in np.arange(10) / 10:
        inside = (sure >= low) & ((sure < low + 0.1) | (low > 0.85))
        if inside.any():
            means = (float(np.average(values[inside], weights=weights[inside])) for values in (sure, right))
            rows.append((float(low), int(inside.sum()), *means))
    return rows  # type: ignore[return-value]


def _table(judged: Sequence[Judged]) -> tuple[Array, Array, Array]:
    kinds = [one.kind.partition(":")[0] for one in judged]
    counts = Counter(zip((one.collection for one in judged), kinds, strict=True))
    weights = [_WEIGHTS.get(kind, 0.0) / counts[one.collection, kind] for one, kind in zip(judged, kinds, strict=True)]
    repeated = np.array([weight for one, weight in zip(judged, weights, strict=True) for _ in one.features])
    features = np.array([row for one in judged for row in one.features])
    right = np.array([is_right for one in judged for is_right in one.are_right], np.float64)
    return features, right, repeated / repeated.sum()


def _logistic(values: Array) -> Array:
    found: Array = 1 / (1 + np.exp(-values))
    return found
