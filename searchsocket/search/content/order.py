"""Rank chunks: raw = semantic x 1.5 for each distinct exact term in the chunk, without a threshold.

`semantic` is the cosine, at least 0; 1 for a query without concepts. Equal scores are ordered by id.
A query with terms only has nearly equal scores. They are ordered by a word search for the terms, so that the
documentation of a name precedes lists with that name. The remaining chunks, such as lists of links, follow by path.
"""

import heapq
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from searchsocket.errors import InvalidRequest
from searchsocket.search.content.folder import ContentFolder
from searchsocket.text.exact import ExactTerm
from searchsocket.types import Scores, Vector

BOOST = 1.5
MAX_READ = 20_000  # texts to search for terms of several words or with signs: about 0.3 s
_REMOTE_DEPTH = 1_000  # of a remote index, which may order deeper hits differently
_FIRST = 200  # chunks with equal scores that the word search orders; an answer has at most 50

_Order = NDArray[np.intp]


class Scored(NamedTuple):
    """A chunk with its score."""

    id: str
    raw: float
    semantic: float


class ExactHits:
    """All chunks that contain a term, best first."""

    def __init__(self, ids: Sequence[str], raws: Scores, cosines: Scores, order: _Order) -> None:
        """
        Args:
            raws, cosines: Scores of each id.
            order: Positions in `ids`, best first.
        """
        self._ids, self._raws, self._cosines, self._order = ids, raws, cosines, order

    def __len__(self) -> int:
        return len(self._ids)

    def best(self, first: int, count: int) -> list[Scored]:
        """Return at most `count` chunks from `first` on; only these objects are made, since there may be thousands."""
        part = self._order[first : first + count]
        ids = map(self._ids.__getitem__, part.tolist())
        return list(map(Scored, ids, self._raws[part].tolist(), self._cosines[part].tolist()))

    @cached_property
    def ids(self) -> frozenset[str]:
        return frozenset(self._ids)


def exact_hits(folder: ContentFolder, terms: Sequence[str], vector: Vector | None) -> ExactHits:
    """Return all chunks with at least one of the terms, by posting lists.

    Raises:
        InvalidRequest: The words of a term are in too many texts to read.
    """
    ids_by_term = [_chunks_with(folder, ExactTerm(term)) for term in terms]
    ids = ids_by_term[0] if len(ids_by_term) == 1 else _in_order(folder, terms, ids_by_term) if ids_by_term else []
    counts = np.full(len(ids), len(ids_by_term) == 1, np.int64)
    for term_ids in map(frozenset, ids_by_term if len(ids_by_term) > 1 else ()):
        counts += np.fromiter(map(term_ids.__contains__, ids), np.bool_, len(ids))
    boosts = np.asarray(BOOST**counts, np.float64)
    if vector is None:
        semantic = np.ones(len(ids))
        return ExactHits(ids, boosts, semantic, np.lexsort((_best_by_words(folder, terms, ids), -counts)))
    semantic = np.maximum(folder.reader.vectors.similarities(vector, ids), 0.0) if ids else np.empty(0)
    raws = semantic * boosts
    return ExactHits(ids, raws, semantic, _falling(raws, ids))


def best_chunks(
    folder: ContentFolder, exact: ExactHits, vector: Vector, all_chunks: int, first: int, count: int
) -> tuple[list[Scored], int]:
    """Return at most `count` chunks from `first` on, and the total number; the order is the same for each part.

    Args:
        exact: Of the same folder, terms and vector.
        all_chunks: Number of chunks in a local index; a remote one can list fewer.
    """
    limits = folder.reader.vectors.limits
    # A chunk without a term is among the first n only if it is among the n nearest.
    depth = min(limits.max_top_k or _REMOTE_DEPTH, _REMOTE_DEPTH) if limits.is_remote else first + count
    near = folder.reader.vectors.nearest(vector, top_k=min(depth, all_chunks), where=folder.meaning_filter)
    plain = [Scored(hit.id, max(hit.score, 0.0), max(hit.score, 0.0)) for hit in near if hit.id not in exact.ids]
    total = len(exact) + len(plain) if limits.is_remote else all_chunks
    best = exact.best(0, first + count)
    merged: Iterator[Scored] = heapq.merge(best, plain, key=lambda chunk: (-chunk.raw, chunk.id))
    return list(islice(merged, first, first + count)), total


def _best_by_words(folder: ContentFolder, terms: Sequence[str], ids: Sequence[str]) -> NDArray[np.int64]:
    """Return the rank of each id in a word search for the terms, `_FIRST` for ids without one."""
    text = " ".join(terms).replace('"', " ")  # without quotes, which would require the exact phrase
    hits = folder.reader.words.search(text, top_k=_FIRST, where=folder.meaning_filter) if ids else []
    ranks = {hit.id: rank for rank, hit in enumerate(hits)}
    return np.fromiter((ranks.get(chunk_id, _FIRST) for chunk_id in ids), np.int64, len(ids))


def _falling(raws: Scores, ids: Sequence[str]) -> _Order:
    """Return the order by falling score, equal scores by rising id; only ids of equal scores are compared."""
    order = np.argsort(-raws, kind="stable")
    is_equal = np.diff(raws[order], prepend=np.nan) == 0  # to the previous score
    edges = np.flatnonzero(np.diff(is_equal, prepend=False, append=False)).tolist()
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        order[start - 1 : end] = sorted(order[start - 1 : end].tolist(), key=ids.__getitem__)
    return order


def _chunks_with(folder: ContentFolder, term: ExactTerm) -> list[str]:
    """Return the chunks that contain a term, in path order."""
    ids = folder.reader.words.holding([term.tokens], where=folder.where)
    if term.is_token or not ids:
        return ids
    if len(ids) > MAX_READ:
        raise InvalidRequest(
            f"the words of {term.text[:60]!r} are in {len(ids)} chunks, and at most {MAX_READ} can be read; "
            "use a rarer term"
        )
    texts = folder.reader.catalogue.texts(ids)
    return [chunk_id for chunk_id, text in zip(ids, texts, strict=True) if term.is_in(text)]


def _in_order(folder: ContentFolder, terms: Sequence[str], ids_by_term: Sequence[list[str]]) -> list[str]:
    """Return all chunks that contain any of the terms, in path order."""
    matching = frozenset().union(*ids_by_term)
    in_order = folder.reader.words.holding([ExactTerm(term).tokens for term in terms], where=folder.where)
    return [chunk_id for chunk_id in in_order if chunk_id in matching]
