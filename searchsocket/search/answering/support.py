"""Probability that a passage answers a question, and the least one to answer with.

A logistic model of evidence about the passage. `python -m bench.asking` fits its weights to 400 questions about nine
sites and five repositories; 188 of the questions have no answer there (docs/notes/quality.md).
"""

import math
from typing import NamedTuple


class Support(NamedTuple):
    """Evidence of a passage for a question."""

    passage: float  # share of the question's words that it says, rare ones counting more
    chunk: float  # share that its whole chunk with its title and headings says, in these or in similar words
    nearness: float  # of the chunk to the question, see `ranking/relevance.py`
    missing_name: float  # how much of a name in the question its page lacks


class SupportWeights(NamedTuple):
    constant: float
    passage: float
    chunk: float
    nearness: float
    missing_name: float


WEIGHTS = SupportWeights(-6.29, 3.73, 3.99, 0.94, -4.17)
ENOUGH = 0.5
_NEAR = (-1.0, 4.0)


def likelihood(support: Support) -> float:
    """The probability, in [0, 1], that a passage with these figures answers."""
    constant, *weights = WEIGHTS
    bounded = support._replace(nearness=min(max(support.nearness, _NEAR[0]), _NEAR[1]))
    return 1.0 / (1.0 + math.exp(-(constant + sum(w * value for w, value in zip(weights, bounded, strict=True)))))
