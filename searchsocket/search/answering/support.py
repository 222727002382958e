"""Probability that a passage answers a question, and the lowest one to answer with.

A logistic model of evidence about the passage. `python -m bench.asking` fits its weights to 500 questions about
fourteen sites and eight repositories; 218 of them have no answer there (docs/notes/quality.md).
"""

import math
from typing import NamedTuple


class Support(NamedTuple):
    """Evidence of a passage for a question."""

    passage: float  # share of the question's words in the passage; rare words count more
    chunk: float  # share of them, or of similar words, in its chunk with title and headings
    nearness: float  # of the chunk to the question, see `ranking/relevance.py`
    missing_name: float  # share of a name in the question that is not on its page
    rarest: float  # rarity of the question's rarest word: a subject that the index hardly speaks of is rarely answered


class SupportWeights(NamedTuple):
    constant: float
    passage: float
    chunk: float
    nearness: float
    missing_name: float
    rarest: float


WEIGHTS = SupportWeights(-2.92, 1.71, 5.07, 1.01, -4.01, -0.81)
ENOUGH = 0.5
_NEAR = (-1.0, 4.0)
_LEAST_RAREST = 3.0  # of few pages no word is rare, which says nothing for an answer


def likelihood(support: Support) -> float:
    """Return the probability, in [0, 1], that a passage with this evidence answers."""
    constant, *weights = WEIGHTS
    nearness, rarest = min(max(support.nearness, _NEAR[0]), _NEAR[1]), max(support.rarest, _LEAST_RAREST)
    bounded = support._replace(nearness=nearness, rarest=rarest)
    return 1.0 / (1.0 + math.exp(-(constant + sum(w * value for w, value in zip(weights, bounded, strict=True)))))
