"""Which chunks come first: raw = semantic x 1.5 for each distinct exact term that is there, and no threshold.

Semantic is the cosine, at least 0, and 1 where no concept is asked for. Of equals the first by id comes first; where
terms alone are asked for, the first by path.
"""

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np

from searchsocket.errors import InvalidRequest
from searchsocket.search.content.corpus import Corpus
from searchsocket.text.exact import ExactTerm
from searchsocket.types import Vector

BOOST = 1.5
MAX_READ = 20_000  # texts, to find terms of several words or signs in: about a third of a second
_REMOTE_DEPTH = 1_000  # of an index elsewhere, which may order more of them in another way


class Scored(NamedTuple):
    """A chunk with its score."""

    id: str
    raw: float
    semantic: float


@dataclass(frozen=True, slots=True)
class ExactHits:
    """Every chunk that holds a term, best first."""

    best: Sequence[Scored]
    ids: frozenset[str]


def exact_hits(corpus: Corpus, terms: Sequence[str], vector: Vector | None) -> ExactHits:
    """All chunks with at least one of the terms, by posting lists.

    Raises:
        InvalidRequest: A term may stand in so many texts that reading them would take too long.
    """
    if not terms:
        return ExactHits((), frozenset())
    wanted = [ExactTerm(term) for term in terms]
    held = [_holding(corpus, term) for term in wanted]
    ids = held[0] if len(held) == 1 else _in_order(corpus, wanted, held)
    counts = np.full(len(ids), len(held) == 1, np.int64)
    for each in map(frozenset, held if len(held) > 1 else ()):
        counts += np.fromiter(map(each.__contains__, ids), np.bool_, len(ids))
    boosts = BOOST**counts
    if vector is None:
        semantic = np.ones(len(ids))
        order = np.argsort(-counts, kind="stable")
    else:
        semantic = np.maximum(corpus.reader.vectors.similarities(vector, ids), 0.0) if ids else np.empty(0)
        order = np.lexsort((np.array(ids, dtype=np.str_), -(semantic * boosts))) if ids else np.empty(0, np.int64)
    raws, cosines = (semantic * boosts)[order].tolist(), semantic[order].tolist()
    return ExactHits(list(map(Scored, map(ids.__getitem__, order.tolist()), raws, cosines)), frozenset(ids))


def best_chunks(
    corpus: Corpus, exact: ExactHits, vector: Vector, all_chunks: int, first: int, count: int
) -> tuple[list[Scored], int]:
    """The chunks from `first` on, at most `count`, and how many there are; the same whatever part is asked for.

    Args:
        exact: Of the same corpus, terms and vector.
        all_chunks: Of the corpus; of an index elsewhere fewer can be listed.
    """
    limits = corpus.reader.vectors.limits
    # A chunk without a term is among the first n only if it is among the n nearest.
    depth = min(limits.max_top_k or _REMOTE_DEPTH, _REMOTE_DEPTH) if limits.is_remote else first + count
    near = corpus.reader.vectors.nearest(vector, top_k=min(depth, all_chunks), where=corpus.where)
    plain = [Scored(hit.id, max(hit.score, 0.0), max(hit.score, 0.0)) for hit in near if hit.id not in exact.ids]
    total = len(exact.best) + len(plain) if limits.is_remote else all_chunks
    merged: Iterator[Scored] = heapq.merge(exact.best, plain, key=lambda one: (-one.raw, one.id))
    return list(islice(merged, first, first + count)), total


def _holding(corpus: Corpus, term: ExactTerm) -> list[str]:
    """The chunks that hold a term, in path order."""
    found = corpus.reader.words.holding([term.tokens], where=corpus.where)
    if term.is_token or not found:
        return found
    if len(found) > MAX_READ:
        raise InvalidRequest(
            f"the words of {term.text[:60]!r} stand in {len(found)} chunks, and at most {MAX_READ} are read; "
            "say a rarer term"
        )
    texts = corpus.reader.catalogue.texts(found)
    return [one for one, text in zip(found, texts, strict=True) if term.is_in(text)]


def _in_order(corpus: Corpus, terms: Sequence[ExactTerm], held: Sequence[list[str]]) -> list[str]:
    """All that hold any of the terms, in path order."""
    known = {one for each in held for one in each}
    found = corpus.reader.words.holding([term.tokens for term in terms], where=corpus.where)
    return [one for one in found if one in known]
