"""Decide if a query is answered, and the confidence of its results."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from searchsocket.models.embedders.lexicon import is_language
from searchsocket.search.query import SearchQuery
from searchsocket.search.ranking.confidence import confidence, features
from searchsocket.search.ranking.exact import WHOLE
from searchsocket.search.ranking.rank import Parts, Ranked
from searchsocket.search.ranking.relevance import (
    is_enough,
    is_enough_of_code,
    is_near_enough,
    is_near_enough_unlisted,
    nearness,
)
from searchsocket.stores.base import Candidates, IndexReader, WordEvidence
from searchsocket.text.words import parse_query
from searchsocket.types import MATCH_ALL, Spread, Vector

_NEAREST = 3  # of the nearest chunks, for whether code is what was found
_CODE = ("definition", "block")
_DIGITS = 3


@dataclass(frozen=True, slots=True)
class Verdict:
    """Facts about a query before ranking."""

    is_answered: bool
    evidence: WordEvidence
    spread: Spread | None
    has_vector: bool
    unknown_word: str = ""  # of two words, the one that no page says, where a page is called like the other one
    known_words: str = ""  # the other one, which alone is answered then

    def confidences(self, chunks: Sequence[Ranked], first: int, best: Ranked, parts: Parts) -> list[float]:
        """The probability that each result answers, see `ranking/confidence.py`.

        Args:
            first: The place of the first of them among all results, from 0.
            best: The first of all.
        """
        at = [chunk.position for chunk in chunks]
        cosines = parts.found.cosine[at]
        near = nearness(cosines, self.spread) if self.has_vector else np.full(len(at), np.nan)
        ratio = np.array([chunk.score for chunk in chunks]) / (best.score or 1.0)
        table = features(
            self.evidence, near, np.arange(first, first + len(at), dtype=np.float64), ratio, parts.exact[at]
        )
        return confidence(table).round(_DIGITS).tolist()  # type: ignore[no-any-return]


def verdict(
    reader: IndexReader, query: SearchQuery, vector: Vector | None, candidates: Candidates, *, is_read: bool = False
) -> Verdict:
    """Judge by the evidence of the whole scope, also where a filter hides it.

    Args:
        is_read: Whether the vector is of a model that reads a text as a whole.
    """
    best = candidates.best_cosine
    if query.where != MATCH_ALL and vector is not None:
        best = max((hit.score for hit in reader.vectors.nearest(vector, top_k=1)), default=-1.0)
    spread, evidence = reader.generation.spread, reader.words.evidence(query.q)
    near = nearness(best, spread)
    is_answered = (
        bool((candidates.titled >= WHOLE).any())
        or is_enough(evidence, near)
        or (vector is not None and is_near_enough(evidence, near, is_read=is_read) and is_language(query.q))
        or (is_read and is_near_enough_unlisted(query.q, evidence, near))
        or (is_enough_of_code(evidence) and is_code(reader, candidates))
    )
    unknown, known_word = ("", "") if is_answered else _unknown_and_known(reader, query, evidence)
    return Verdict(is_answered or bool(unknown), evidence, spread, vector is not None, unknown, known_word)


def _unknown_and_known(reader: IndexReader, query: SearchQuery, evidence: WordEvidence) -> tuple[str, str]:
    """Two words of which one is unknown but English, while a page is called like the other one; else nothing."""
    if evidence.asked != 2 or len(evidence.missing) != 1 or evidence.known != 1 / 2 or not is_language(query.q):
        return "", ""
    [missing] = evidence.missing
    words = [word.exact for word in parse_query(query.q).words if not word.is_stop and word.exact != missing]
    rest = " ".join(words)
    is_subject = any(hit.score >= WHOLE for hit in reader.words.named(rest, top_k=1).pages)
    return (missing, rest) if is_subject else ("", "")


def is_code(reader: IndexReader, candidates: Candidates) -> bool:
    """Return True if the nearest chunks are code or consist of code, of which a question says little."""
    nearest: Sequence[int] = candidates.cosine.argsort(kind="stable")[::-1][:_NEAREST].tolist()
    readable = reader.catalogue.readable([candidates.ids[at] for at in nearest])
    return bool(readable) and all(
        one.record.chunk.kind in _CODE or (one.text.kinds and not one.text.kinds.strip("ch")) for one in readable
    )
