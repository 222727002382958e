"""`python -m training.ranking.trees DUMPS`: what boosted trees over all features give on sites that are left out.

They are not shipped: they gain no more than the weights of `fit.py`.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import lightgbm
import numpy as np
from numpy.typing import NDArray

from searchsocket.search.ranking.weights import FILE
from training.ranking.fit import Array, Queries, folds, hand_set_quality, read, table

ROUNDS = 150
PARAMETERS = {
    "objective": "lambdarank", "num_leaves": 8, "learning_rate": 0.06, "min_data_in_leaf": 300, "lambda_l2": 10,
    "lambdarank_truncation_level": 10, "feature_fraction": 0.5, "bagging_fraction": 0.7, "bagging_freq": 1,
    "max_bin": 63, "seed": 1, "num_threads": 2, "verbose": -1, "label_gain": list(range(5)),
}  # fmt: skip


def trees(queries: Queries, chosen: NDArray[np.bool_]) -> lightgbm.Booster:
    """The trees by the chosen queries."""
    rows = np.flatnonzero(chosen & (queries.grades.sum(axis=1) > 0))
    is_candidate = queries.is_candidate[rows]
    counts, weights = is_candidate.sum(axis=1), queries.weights()[rows]
    data = lightgbm.Dataset(
        queries.features[rows][is_candidate],
        queries.grades[rows][is_candidate],
        group=counts,
        weight=np.repeat(weights / weights.mean(), counts),  # of about 1, since decay knows no others
    )
    return lightgbm.train(PARAMETERS, data, ROUNDS)


def left_out(queries: Queries) -> Array:
    """nDCG@10 of each query by trees that never saw its site."""
    quality = np.zeros(len(queries.ideal))
    for names in folds(queries):
        out = np.isin(queries.groups, names)
        rows = queries.features[out]
        scores = np.zeros(queries.is_candidate.shape)
        predicted = trees(queries, ~out).predict(rows.reshape(-1, rows.shape[2]))
        scores[out] = np.asarray(predicted).reshape(rows.shape[:2])
        quality[out] = queries.ndcg(scores)[out]
    return quality


def main(arguments: Sequence[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m training.ranking.trees", description=__doc__)
    parser.add_argument("dumps", type=Path, help="a folder of files by `training.ranking.dump`")
    queries = read(parser.parse_args(arguments).dumps)
    weights = json.loads(FILE.read_text(encoding="utf-8"))
    print(table(queries, hand_set_quality(queries, weights["fitted"]), left_out(queries)))


if __name__ == "__main__":
    main(sys.argv[1:])
