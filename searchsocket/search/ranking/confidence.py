"""Decide whether to answer, and the probability that a result answers the query (docs/notes/quality.md).

A logistic model of seven features that ranking computes anyway. `python -m bench.gate` fits its weights to the judged
queries of the development collections, with the built-in model and MiniLM, and to questions that no documentation
answers. It also measures the calibration.

Words decide most queries. Cosines are scaled by the spread of the index's own texts, so that one rule applies to every
model (figures in docs/notes/ranking.md).
"""

import math
from typing import NamedTuple, TypeVar

import numpy as np

from searchsocket.stores.base.index_reader import WordEvidence
from searchsocket.types import Scores, Spread

Cosine = TypeVar("Cosine", float, Scores)

# One page has this share of the query's words, by rarity: noise contains only frequent words by chance.
MIN_SHARE = 0.6
# Else the site has this share of the words, one page this number of them, and a chunk is this near.
MIN_SHARE_COUNT_AND_NEARNESS = ((0.65, 2, 0.85), (0.5, 3, 1.4), (0.5, 1, 2.5))
# Two known words that are on no page together are answered if a chunk is this near.
MIN_APART = 1.5
# Words of the language that are not on the site are answered by meaning: one word, and several words, whose vectors
# point in different directions.
MIN_ALONE, MIN_TOGETHER = 0.9, 2.6
# For a model that reads several words as a whole.
MIN_READ_TOGETHER = MIN_APART
# For a real word that is missing from the word list by which noise is detected: `thesaurus`, `umlauts`.
MIN_UNLISTED = 1.9
_LEAST_UNLISTED = 6  # letters
# Code rarely describes its subject, so it contains fewer words of a question.
MIN_SHARE_OF_CODE = 1 / 3

_USUAL = Spread(0.0, 0.17)  # of the built-in model on documentation; for sites with too few texts
_LEAST_WIDTH = 0.02  # a smaller spread, of nearly equal texts, would make every chunk near

WEAK = 0.2  # below it there is no close match: 90 % of questions about other subjects, 2 % of the others


def nearness(cosine: Cosine, spread: Spread | None) -> Cosine:
    """Scale cosines so that they mean the same for every model: 0 for unrelated texts, 1 for two texts of one site."""
    low, middle = spread or _USUAL
    near: Cosine = (cosine - low) / max(middle - low, _LEAST_WIDTH)
    return near


def is_enough(words: WordEvidence, nearest: float) -> bool:
    """Return True if the words are enough to answer; over the whole scope, regardless of filters.

    Args:
        nearest: Nearness of the nearest chunk.
    """
    return (
        words.share >= MIN_SHARE
        or (words.query_words == 2 and words.indexed_share == 1 and nearest >= MIN_APART)
        or any(
            words.indexed_share >= indexed_share and words.count >= count and nearest >= near
            for indexed_share, count, near in MIN_SHARE_COUNT_AND_NEARNESS
        )
    )


def is_enough_of_code(words: WordEvidence) -> bool:
    """Return True if the words are enough to answer with code."""
    return words.indexed_share >= MIN_SHARE_OF_CODE and words.count > 0


def is_near_enough(words: WordEvidence, nearest: float, *, is_read: bool = False) -> bool:
    """Return True if meaning may answer English words of which the site has none, or one of two.

    Args:
        is_read: True if the model reads a text as a whole, instead of adding up its words.
    """
    if words.indexed_share > 0:
        return is_read and words.query_words == 2 and nearest >= MIN_READ_TOGETHER
    min_nearness = MIN_READ_TOGETHER if is_read else MIN_TOGETHER
    return nearest >= (MIN_ALONE if words.query_words == 1 else min_nearness)


def is_near_enough_unlisted(q: str, words: WordEvidence, nearest: float) -> bool:
    """Return True if meaning may answer a single unlisted word, for models that read parts of words."""
    word = q.strip()
    is_long = len(word) >= _LEAST_UNLISTED and word.isalpha()
    return is_long and words.indexed_share == 0 and words.query_words == 1 and nearest >= MIN_UNLISTED


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
