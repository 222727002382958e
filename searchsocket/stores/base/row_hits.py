"""Rows of a remote index as hits: enough rows for a correct answer, one row per record, exact scores."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from searchsocket.errors import RecordsMissing
from searchsocket.stores.base.vectors import VectorLimits, Written, check_vectors, cosines
from searchsocket.types import MATCH_ALL, Filter, Hit, Vector, Vectors

_MARGIN_ROWS = 16  # requested beyond top_k, because rows of equal score are ordered here, by id
_MARGIN_SCORE = 1e-5  # far above the rounding of a server's float32


@dataclass(frozen=True, slots=True)
class RowHit:
    """A row that a remote index returned; it may belong to the generation before, whose end is not visible yet."""

    id: str
    born: int  # the number of the generation that wrote it
    score: float  # as the server computed it
    vector: Sequence[float] | Vector | None = None  # None: not returned
    note: str = ""  # of `TableRow`


def _max_top_k(limit: int) -> int:
    """The largest `top_k` of an index that returns at most `limit` rows."""
    return limit - _MARGIN_ROWS


def _newest_by_id(rows: Sequence[RowHit], written: Written) -> Mapping[str, RowHit]:
    """One row per record, by id: the newest, and none that is older than its record."""
    by_id: dict[str, RowHit] = {}
    for row, since in zip(rows, written([row.id for row in rows]), strict=True):
        if row.born >= since and (row.id not in by_id or row.born > by_id[row.id].born):
            by_id[row.id] = row
    return by_id


def _nearest_by_id(
    ask: Callable[[int], Sequence[RowHit]], top_k: int, limit: int, written: Written
) -> Mapping[str, RowHit]:
    """Enough rows that their best `top_k` are those of the whole index, for any order of equal scores.

    Args:
        ask: Returns at most so many of the nearest rows, best first.
        limit: The most rows that the index returns at once.
        written: See `VectorIndex.open`.
    """
    count = min(top_k + _MARGIN_ROWS, limit)
    while True:
        rows = ask(count)
        by_id = _newest_by_id(rows, written)
        if len(rows) < count or count >= limit:
            return by_id
        scores = sorted((row.score for row in by_id.values()), reverse=True)
        if len(scores) >= top_k and rows[-1].score < scores[top_k - 1] - _MARGIN_SCORE:
            return by_id
        count = min(4 * count, limit)  # too many rows have equal scores, appear twice or have ended


class GenerationRows(Protocol):
    """The rows of one generation on the other machine."""

    max_rows: int  # of one answer of `nearest`
    tolerance: float  # see `VectorLimits`
    index: str  # likewise
    is_exact: bool

    def nearest(self, vector: Vector, limit: int, where: Filter) -> Sequence[RowHit]:
        """At most `limit` rows that match, best first; with vectors if they fit into the answer."""

    def named(self, ids: Sequence[str]) -> Sequence[RowHit]:
        """The rows of records, with vectors, in any order; each id appears once in `ids`."""


class RowSnapshot:
    """Implements `VectorSnapshot`.

    Scores are computed here from the vectors in the rows, so they equal those of every other store to the digit. The
    server decides only which rows are near.
    """

    def __init__(self, rows: GenerationRows, dimensions: int, written: Written) -> None:
        """Calls nothing yet; see `VectorIndex.open`."""
        self.limits = VectorLimits(True, _max_top_k(rows.max_rows), rows.tolerance, rows.index, rows.is_exact)
        self._rows = rows
        self._dimensions = dimensions
        self._written = written

    def nearest(self, vector: Vector, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """Return at most `top_k` records that match `where`, by falling cosine; equal scores by rising id."""
        self._check(vector)
        if top_k <= 0:
            return []
        by_id = _nearest_by_id(
            lambda limit: self._rows.nearest(vector, limit, where), top_k, self._rows.max_rows, self._written
        )
        has_vectors = all(row.vector is not None for row in by_id.values())
        vectors = self._stacked([row.vector for row in by_id.values()]) if has_vectors else self.vectors_of(list(by_id))
        hits = map(Hit, by_id, _scores(vectors, vector))
        return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:top_k]

    def similarities(self, vector: Vector, ids: Sequence[str]) -> list[float]:
        """Return the cosine of each record, in the order of `ids`."""
        self._check(vector)
        return _scores(self.vectors_of(ids), vector)

    def vectors_of(self, ids: Sequence[str]) -> Vectors:
        """Return a copy of the vector of each record, in the order of `ids`."""
        by_id = _newest_by_id(self._rows.named(list(dict.fromkeys(ids))), self._written) if ids else {}
        if unknown := [id_ for id_ in ids if id_ not in by_id]:
            raise RecordsMissing(unknown)
        return self._stacked([by_id[id_].vector for id_ in ids])

    def _stacked(self, vectors: Sequence[Sequence[float] | Vector | None]) -> Vectors:
        return np.array(vectors, np.float32).reshape(len(vectors), self._dimensions)

    def _check(self, vector: Vector) -> None:
        check_vectors(vector[np.newaxis], 1, self._dimensions)


def _scores(vectors: Vectors, vector: Vector) -> list[float]:
    if not len(vectors):
        return []
    scores: list[float] = cosines(vectors, vector, np.arange(len(vectors))).tolist()
    return scores
