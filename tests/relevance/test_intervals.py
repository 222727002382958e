"""The bench reports the mean of a difference, and its confidence interval."""

import numpy as np
import pytest

from bench.relevance.intervals import interval, table


def test_an_interval_holds_the_difference_and_narrows_with_the_queries() -> None:
    few, many = np.tile([0.0, 0.2], 10), np.tile([0.0, 0.2], 1_000)
    for scores in (few, many):
        mean, low, high = interval([scores])
        assert mean == pytest.approx(0.1)
        assert low < mean < high
    assert interval([many])[2] - interval([many])[1] < (interval([few])[2] - interval([few])[1]) / 5
    assert interval([np.zeros(5)]) == (0.0, 0.0, 0.0)


def test_sites_count_alike_however_many_queries_they_have() -> None:
    scores = {
        ("site_a", "one"): np.zeros(100), ("site_a", "other"): np.ones(100),
        ("site_b", "one"): np.zeros(2), ("site_b", "other"): np.zeros(2),
    }  # fmt: skip
    assert "other                               +0.500" in table(scores).split("sites (mean)")[1]
