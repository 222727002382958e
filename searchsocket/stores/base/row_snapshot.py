"""The vectors of one generation in a remote index, as a query sees them: exact scores, one row per record."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from searchsocket.errors import RecordsMissing
from searchsocket.stores.base import row_hits
from searchsocket.stores.base.checks import check_vectors
from searchsocket.stores.base.cosines import cosines
from searchsocket.stores.base.row_hits import RowHit
from searchsocket.stores.base.vectors import VectorLimits, Written
from searchsocket.types import MATCH_ALL, Filter, Hit, Vector, Vectors


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
        self.limits = VectorLimits(True, row_hits.max_top_k(rows.max_rows), rows.tolerance, rows.index, rows.is_exact)
        self._rows = rows
        self._dimensions = dimensions
        self._written = written

    def nearest(self, vector: Vector, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """See `VectorSnapshot.nearest`."""
        self._check(vector)
        if top_k <= 0:
            return []
        by_id = row_hits.nearest(
            lambda limit: self._rows.nearest(vector, limit, where), top_k, self._rows.max_rows, self._written
        )
        has_vectors = all(row.vector is not None for row in by_id.values())
        vectors = self._stacked([row.vector for row in by_id.values()]) if has_vectors else self.vectors_of(list(by_id))
        hits = map(Hit, by_id, _scores(vectors, vector))
        return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:top_k]

    def similarities(self, vector: Vector, ids: Sequence[str]) -> list[float]:
        """See `VectorSnapshot.similarities`."""
        self._check(vector)
        return _scores(self.vectors_of(ids), vector)

    def vectors_of(self, ids: Sequence[str]) -> Vectors:
        """See `VectorSnapshot.vectors_of`."""
        by_id = row_hits.newest(self._rows.named(list(dict.fromkeys(ids))), self._written) if ids else {}
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
