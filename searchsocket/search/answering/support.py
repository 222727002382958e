"""Probability that a passage answers a question, and if it is high enough; the rule is fitted to data.

A logistic model of what is known of the passage. Its weights are fitted by `python -m bench.asking` to 300 questions
over three sites and two repositories, half of which nothing there answers (docs/notes/quality.md).
"""

import math
from typing import NamedTuple


class Support(NamedTuple):
    """Evidence of a passage for a question."""

    passage: float  # share of the question's words that it says, rare ones counting more
    chunk: float  # likewise of its whole chunk with its title and headings
    nearness: float  # of the chunk to the question, see `ranking/relevance.py`
    asked: float  # logarithm of 1 + the number of its words


class Weights(NamedTuple):
    constant: float
    passage: float
    chunk: float
    nearness: float
    asked: float


WEIGHTS = Weights(-7.57, 3.66, 4.84, 2.0, -1.22)
ENOUGH = 0.5
_NEAR = (-1.0, 4.0)


def likelihood(support: Support) -> float:
    """The probability, in [0, 1], that a passage with these figures answers."""
    constant, *weights = WEIGHTS
    held = support._replace(nearness=min(max(support.nearness, _NEAR[0]), _NEAR[1]))
    return 1.0 / (1.0 + math.exp(-(constant + sum(w * value for w, value in zip(weights, held, strict=True)))))
