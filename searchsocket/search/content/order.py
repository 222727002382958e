"""Rank chunks: raw = semantic x 1.5 for each distinct exact term in the chunk, without a threshold.

Semantic is the cosine, at least 0, and 1 where no concept is asked for. Of equals the first by id comes first. Where
terms alone are asked for nearly all are equals: then those come first that a search for the terms finds first, as the
documentation of a name does before a list that has it too; the others, lists of links among them, follow by path.
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
MAX_READ = 20_000  # texts, to find terms of several words or signs in: about a third of a second
_REMOTE_DEPTH = 1_000  # of an index elsewhere, which may order more of them in another way
_FIRST = 200  # of equals, that are ordered by what they say; a page has at most 50

_Order = NDArray[np.intp]


class Scored(NamedTuple):
    """A chunk with its score."""

    id: str
    raw: float
    semantic: float


class ExactHits:
    """Every chunk that holds a term, best first."""

    def __init__(self, ids: Sequence[str], raws: Scores, cosines: Scores, order: _Order) -> None:
        """Args: raws, cosines: of each id; order: which of them comes first."""
        self._ids, self._raws, self._cosines, self._order = ids, raws, cosines, order

    def __len__(self) -> int:
        return len(self._ids)

    def best(self, first: int, count: int) -> list[Scored]:
        """Those from `first` on, at most `count`. Of tens of thousands a page shows ten, so no more are made."""
        part = self._order[first : first + count]
        ids = map(self._ids.__getitem__, part.tolist())
        return list(map(Scored, ids, self._raws[part].tolist(), self._cosines[part].tolist()))

    @cached_property
    def ids(self) -> frozenset[str]:
        return frozenset(self._ids)


def exact_hits(folder: ContentFolder, terms: Sequence[str], vector: Vector | None) -> ExactHits:
    """All chunks with at least one of the terms, by posting lists.

    Raises:
        InvalidRequest: A term may stand in so many texts that reading them would take too long.
    """
    ids_by_term = [_holding(folder, ExactTerm(term)) for term in terms]
    ids = ids_by_term[0] if len(ids_by_term) == 1 else _in_order(folder, terms, ids_by_term) if ids_by_term else []
    counts = np.full(len(ids), len(ids_by_term) == 1, np.int64)
    for each in map(frozenset, ids_by_term if len(ids_by_term) > 1 else ()):
        counts += np.fromiter(map(each.__contains__, ids), np.bool_, len(ids))
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
    """The chunks from `first` on, at most `count`, and how many there are; the same whatever part is asked for.

    Args:
        exact: Of the same folder, terms and vector.
        all_chunks: That are found so; of an index elsewhere fewer can be listed.
    """
    limits = folder.reader.vectors.limits
    # A chunk without a term is among the first n only if it is among the n nearest.
    depth = min(limits.max_top_k or _REMOTE_DEPTH, _REMOTE_DEPTH) if limits.is_remote else first + count
    near = folder.reader.vectors.nearest(vector, top_k=min(depth, all_chunks), where=folder.where_said)
    plain = [Scored(hit.id, max(hit.score, 0.0), max(hit.score, 0.0)) for hit in near if hit.id not in exact.ids]
    total = len(exact) + len(plain) if limits.is_remote else all_chunks
    best = exact.best(0, first + count)
    merged: Iterator[Scored] = heapq.merge(best, plain, key=lambda one: (-one.raw, one.id))
    return list(islice(merged, first, first + count)), total


def _best_by_words(folder: ContentFolder, terms: Sequence[str], ids: Sequence[str]) -> NDArray[np.int64]:
    """Of each id where it stands among those that a search for the terms finds first; the same for all others."""
    text = " ".join(terms).replace('"', " ")  # not a phrase: that would have to stand there
    hits = folder.reader.words.search(text, top_k=_FIRST, where=folder.where_said) if ids else []
    ranks = {hit.id: rank for rank, hit in enumerate(hits)}
    return np.fromiter((ranks.get(one, _FIRST) for one in ids), np.int64, len(ids))


def _falling(raws: Scores, ids: Sequence[str]) -> _Order:
    """The order by falling score, of equals by rising id; ids are compared only where scores are equal."""
    order = np.argsort(-raws, kind="stable")
    is_equal = np.diff(raws[order], prepend=np.nan) == 0  # to the one before
    edges = np.flatnonzero(np.diff(is_equal, prepend=False, append=False)).tolist()
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        order[start - 1 : end] = sorted(order[start - 1 : end].tolist(), key=ids.__getitem__)
    return order


def _holding(folder: ContentFolder, term: ExactTerm) -> list[str]:
    """The chunks that hold a term, in path order."""
    ids = folder.reader.words.holding([term.tokens], where=folder.where)
    if term.is_token or not ids:
        return ids
    if len(ids) > MAX_READ:
        raise InvalidRequest(
            f"the words of {term.text[:60]!r} are in {len(ids)} chunks, and at most {MAX_READ} can be read; "
            "use a rarer term"
        )
    texts = folder.reader.catalogue.texts(ids)
    return [one for one, text in zip(ids, texts, strict=True) if term.is_in(text)]


def _in_order(folder: ContentFolder, terms: Sequence[str], ids_by_term: Sequence[list[str]]) -> list[str]:
    """All that hold any of the terms, in path order."""
    matching = {one for each in ids_by_term for one in each}
    in_order = folder.reader.words.holding([ExactTerm(term).tokens for term in terms], where=folder.where)
    return [one for one in in_order if one in matching]
