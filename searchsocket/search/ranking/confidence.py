"""Probability that a result answers the query, comparable between queries, models and sites (docs/notes/quality.md).

A logistic model of seven features that ranking computes anyway. `python -m bench.gate` fits its weights to the judged
queries of the development collections, with the built-in model and MiniLM, and to questions that no documentation
answers. It also measures the calibration.
"""

import math
from typing import NamedTuple

import numpy as np

from searchsocket.stores.base.index_reader import WordEvidence
from searchsocket.types import Scores

WEAK = 0.2  # below it there is no close match: 90 % of questions about other subjects, 2 % of the others


class ConfidenceWeights(NamedTuple):
    """Weights of the features, in their order."""

    constant: float
    nearness: float  # of the result, see `relevance.nearness`
    share: float  # of the query on the page with most of its words
    known: float  # share of the query's words that are on the site
    asked: float  # logarithm of 1 + the number of its words
    rank: float  # logarithm of the position among the results, from 1
    score: float  # as a share of the best result's
    exact: float  # the query is the title, or contains a name in the chunk


WEIGHTS = ConfidenceWeights(-11.49, 0.3, 1.67, 1.82, 1.53, -0.45, 4.83, 2.09)
_COLUMN = np.array(WEIGHTS)
_NEAR = (-1.0, 4.0)  # bounds of nearness
UNKNOWN_NEAR = 1.5  # nearness of an answer by words only
_EXACT = 1.0


def features(words: WordEvidence, near: Scores, rank: Scores, score_ratio: Scores, exact: Scores) -> Scores:
    """Return the features of results, shape (n, 8): one row per result.

    Args:
        near: Nearness; NaN if the query has no vector.
        rank: From 0.
        score_ratio: The result's score divided by the best one's.
    """
    table = np.empty((len(near), len(WEIGHTS)), np.float64)
    table[:] = (1.0, 0.0, words.share, words.indexed_share, math.log1p(words.query_words), 0.0, 0.0, 0.0)
    table[:, 1] = np.where(np.isnan(near), UNKNOWN_NEAR, np.minimum(np.maximum(near, _NEAR[0]), _NEAR[1]))
    table[:, 5] = np.log1p(rank)
    table[:, 6] = score_ratio
    table[:, 7] = np.minimum(exact, _EXACT)
    return table


def confidence(table: Scores) -> Scores:
    """Return the probability, in [0, 1], that each result with these features answers its query."""
    probabilities: Scores = 1.0 / (1.0 + np.exp(-(table @ _COLUMN)))
    return probabilities
