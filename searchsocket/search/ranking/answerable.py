"""Decide if ranked pages answer the query: even a question about another subject shares words with some pages.

A logistic model over the evidence of words and the parts of the best page's score. `python -m bench.gate --fit` fits it
to judged queries of the development collections, and to questions about other fields and other software. The thresholds
are from collections that are not used for fitting (docs/notes/quality.md).
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

from searchsocket.search.ranking.weights import ANSWER
from searchsocket.stores.base.index_reader import WordEvidence

_NEAR = (-1.0, 4.0)  # bounds of nearness
_MANY_MISSING = 3
_FEW_WORDS = 2
WHOLE = 0.999  # `share` of a query if one page has all its words: such a query is never refused


# The API describes the features in these words.
FEATURES = {
    "constant": "always 1",
    "share": "share of the query, by rarity, on the page with most of its words",
    "known": "share of the query's words that are on the site",
    "words": "logarithm of 1 + the number of its words",
    "missing": "number of words that are on no page, at most 3",
    "missing_rarity": "share of the query, by rarity, of the missing words",
    "nearness": "nearness in meaning of the nearest section, from -1 to 4",
    "passage": "bonus of the best page for neighbouring words and words together",
    "names": "bonus of the best page for its names",
    "exact": "bonus of the best page for exact matches, at most 1",
    "share_of_few": "`share`, of a query of one or two words",
    "everything": "1 if one page has all words",
}


class AnswerFeatures(NamedTuple):
    """The input of the model, see `FEATURES`; its weights have the same names."""

    constant: float
    share: float
    known: float
    words: float
    missing: float
    missing_rarity: float
    nearness: float
    passage: float
    names: float
    exact: float
    share_of_few: float
    everything: float


WEIGHTS = AnswerFeatures(**ANSWER["weights"])
REFUSED, DOUBTED = float(ANSWER["refused_below"]), float(ANSWER["doubted_below"])  # logarithms of odds


def missing_share(evidence: WordEvidence, rarities: Mapping[str, float]) -> float:
    """Return the share of a query, by the rarities of its words, that no page contains."""
    rarest, total = max(rarities.values(), default=0.0), sum(rarities.values())
    return sum(rarities.get(word, rarest) for word in evidence.missing) / total if total else 0.0


def answer_features(
    evidence: WordEvidence, missing_rarity: float, near: float, passage: float, names: float, exact: float
) -> AnswerFeatures:
    """Return the features of a query, from its evidence and its best page."""
    return AnswerFeatures(
        1.0,
        evidence.share,
        evidence.indexed_share,
        math.log1p(evidence.query_words),
        min(len(evidence.missing), _MANY_MISSING),
        missing_rarity,
        min(max(near, _NEAR[0]), _NEAR[1]),
        passage,
        names,
        min(exact, 1.0),
        evidence.share if evidence.query_words <= _FEW_WORDS else 0.0,
        float(evidence.share >= WHOLE and not evidence.missing),
    )


def answer_score(features: AnswerFeatures) -> float:
    """Return the logarithm of the odds that the site answers the query."""
    return math.fsum(weight * value for weight, value in zip(WEIGHTS, features, strict=True))
