"""Decide if a query is answered, and the confidence of its results."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from searchsocket.models.embedders.builtin import is_language, may_be_word
from searchsocket.search.query import SearchQuery
from searchsocket.search.ranking.confidence import (
    confidence,
    features,
    is_enough,
    is_enough_of_code,
    is_near_enough,
    is_near_enough_unlisted,
    nearness,
)
from searchsocket.search.ranking.names import WHOLE
from searchsocket.search.ranking.rank import Parts, Ranked
from searchsocket.stores.base.index_reader import Candidates, IndexReader, WordEvidence
from searchsocket.text.words import parse_query
from searchsocket.types import MATCH_ALL, Spread, Vector

_NEAREST = 3  # chunks that must be code, for a query about code
_CODE = ("definition", "block")
_DIGITS = 3


@dataclass(frozen=True, slots=True)
class Verdict:
    """Facts about a query before ranking."""

    is_answered: bool
    evidence: WordEvidence
    spread: Spread | None
    has_vector: bool
    is_title: bool = False  # the query is a page's title or address, or the beginning of a title
    unknown_word: str = ""  # of two words, the one on no page, if the other one is the title of a page
    remaining_words: str = ""  # the other word, which is answered instead

    def confidences(self, chunks: Sequence[Ranked], first: int, best: Ranked, parts: Parts) -> list[float]:
        """Return the probability that each result answers, see `ranking/confidence.py`.

        Args:
            first: Position of the first chunk among all results, from 0.
            best: The first of all results.
        """
        at = [chunk.position for chunk in chunks]
        cosines = parts.lists.cosine[at]
        near = nearness(cosines, self.spread) if self.has_vector else np.full(len(at), np.nan)
        ratio = np.array([chunk.score for chunk in chunks]) / (best.score or 1.0)
        table = features(
            self.evidence, near, np.arange(first, first + len(at), dtype=np.float64), ratio, parts.exact[at]
        )
        return confidence(table).round(_DIGITS).tolist()  # type: ignore[no-any-return]


def verdict(
    reader: IndexReader, query: SearchQuery, vector: Vector | None, candidates: Candidates, *, is_read: bool = False
) -> Verdict:
    """Decide if the query is answered, by the evidence of the whole scope regardless of filters.

    Args:
        is_read: True if the vector's model reads a text as a whole.
    """
    best = candidates.best_cosine
    if query.where != MATCH_ALL and vector is not None:
        best = max((hit.score for hit in reader.vectors.nearest(vector, top_k=1)), default=-1.0)
    spread, evidence = reader.generation.spread, reader.words.evidence(query.q)
    near = nearness(best, spread)
    is_title = bool((candidates.titled > 0).any())
    is_answered = (
        is_title
        or is_enough(evidence, near)
        or (vector is not None and is_near_enough(evidence, near, is_read=is_read) and is_language(query.q))
        or (is_read and is_near_enough_unlisted(query.q, evidence, near))
        or (is_enough_of_code(evidence) and is_code(reader, candidates))
    )
    unknown, remaining = ("", "") if is_title else _unknown_and_remaining(reader, query, evidence)
    if not is_answered and unknown and not may_be_word(unknown):
        unknown = remaining = ""
    return Verdict(is_answered or bool(unknown), evidence, spread, vector is not None, is_title, unknown, remaining)


def _unknown_and_remaining(reader: IndexReader, query: SearchQuery, evidence: WordEvidence) -> tuple[str, str]:
    """Return the unknown and the other word of a query of two words, if the other word is a page's title.

    Otherwise return two empty strings.
    """
    if evidence.query_words != 2 or len(evidence.missing) != 1 or evidence.indexed_share != 1 / 2:
        return "", ""
    [missing] = evidence.missing
    words = [word.exact for word in parse_query(query.q).words if not word.is_stop and word.exact != missing]
    remaining = " ".join(words)
    is_subject = any(hit.score >= WHOLE for hit in reader.words.named(remaining, top_k=1).pages)
    return (missing, remaining) if is_subject else ("", "")


def is_code(reader: IndexReader, candidates: Candidates) -> bool:
    """Return True if the nearest chunks are code or consist of code, which shares few words with a question."""
    nearest: Sequence[int] = candidates.cosine.argsort(kind="stable")[::-1][:_NEAREST].tolist()
    readable = reader.catalogue.readable([candidates.ids[at] for at in nearest])
    return bool(readable) and all(
        chunk.record.chunk.kind in _CODE or (chunk.text.kinds and not chunk.text.kinds.strip("ch"))
        for chunk in readable
    )
