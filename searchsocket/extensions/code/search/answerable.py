"""Decide if code answers a query: nonsense and questions about other subjects share words with some file too.

A logistic model over the evidence of words, meaning and the path of the best file. `python -m bench.code.gate` fits it
to judged queries of repositories, and to questions about other fields and other software (docs/notes/quality.md).
"""

import math
from typing import NamedTuple

from searchsocket.extensions.code.search.candidates import CodeCandidates
from searchsocket.extensions.code.search.ranking import RankedCode
from searchsocket.models.embedders.lexicon import is_language
from searchsocket.search.ranking.answerable import missing_share
from searchsocket.search.ranking.confidence import UNKNOWN_NEAR
from searchsocket.search.ranking.relevance import nearness
from searchsocket.stores.base import IndexReader

_NEAR = (-1.0, 4.0)  # bounds of nearness


class CodeFeatures(NamedTuple):
    """The input of the model; its weights have the same names."""

    constant: float
    share: float  # of the query, by rarity, in the file with most of its words
    missing: float  # share of the query, by rarity, of the words that no file contains
    nearness: float  # of the nearest chunk
    both: float  # share times nearness: one of the two is enough
    path: float  # share of the query's words in the names of the best file and its folder


WEIGHTS = CodeFeatures(-6.36, 5.14, -4.51, 2.82, -1.42, 5.12)
REFUSED = -3.2  # the logarithm of the odds below which a query is refused


def is_answerable(
    reader: IndexReader, q: str, candidates: CodeCandidates, ranked: list[RankedCode], *, has_vector: bool
) -> bool:
    """Return True if the best candidates may answer the query.

    A definition that it names, and an identifier that it is, are always answers.
    """
    if not ranked:
        return False
    is_identifier = len(q.split()) == 1 and candidates.written.any()
    if is_identifier or any(candidate.defines > 0 for candidate in ranked):
        return True
    features = code_features(reader, q, candidates, ranked[0], has_vector=has_vector)
    return features is not None and code_score(features) >= REFUSED


def code_features(
    reader: IndexReader, q: str, candidates: CodeCandidates, best: RankedCode, *, has_vector: bool
) -> CodeFeatures | None:
    """Return the features of a query; None if no file has a word of it and it is not English."""
    evidence = reader.words.evidence(q)
    if not evidence.indexed_share and not is_language(q):
        return None
    missing = missing_share(evidence, reader.words.rarities(q)) if evidence.missing else 0.0
    near = nearness(float(candidates.cosine.max()), reader.generation.spread) if has_vector else UNKNOWN_NEAR
    near = min(max(near, _NEAR[0]), _NEAR[1])
    return CodeFeatures(1.0, evidence.share, missing, near, evidence.share * near, best.path)


def code_score(features: CodeFeatures) -> float:
    """Return the logarithm of the odds that code answers the query."""
    return math.fsum(weight * value for weight, value in zip(WEIGHTS, features, strict=True))
