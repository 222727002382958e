"""The vectors of a generation, open for queries."""

from collections.abc import Sequence

import numpy as np

from searchsocket.stores.base import UNIT_TOLERANCE, VectorLimits, check_vectors
from searchsocket.stores.base.cosines import cosines
from searchsocket.stores.local.layout import NamingDamage
from searchsocket.stores.local.numbering import Numbering, Rows
from searchsocket.stores.local.vectors.matrix import best_rows
from searchsocket.stores.local.vectors.selecting import Selector
from searchsocket.types import MATCH_ALL, Filter, Hit, Scores, Vector, Vectors

_LIMITS = VectorLimits()


class MatrixVectors:
    """Implements `VectorSnapshot` on a matrix: a search reads every row."""

    limits = _LIMITS

    def __init__(
        self,
        matrix: Vectors,
        numbering: Numbering,
        hidden: Rows,
        selector: Selector,
        damage: NamingDamage,
        read_bytes: int,
    ) -> None:
        """Args: read_bytes: Of the matrix, those that were read into memory."""
        self.matrix = matrix
        self.read_bytes = read_bytes
        self._numbering = numbering
        self._hidden = hidden
        self._selector = selector
        self._damage = damage

    def nearest(self, vector: Vector, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """See `VectorSnapshot.nearest`."""
        rows, scores = self.nearest_rows(vector, top_k, where)
        return list(map(Hit, self._numbering.ids_of(rows), scores.tolist()))

    def nearest_rows(self, vector: Vector, top_k: int, where: Filter) -> tuple[Rows, Scores]:
        """The rows of the nearest records, best first, and their cosines."""
        self._check(vector)
        chosen = self._selector.select(where)
        if chosen is None or top_k < 1:
            return np.empty(0, np.int64), np.empty(0)
        with self._damage:
            return best_rows(self.matrix, vector, chosen, self._hidden, self._numbering.id_order, top_k)

    def cosines(self, vector: Vector, rows: Rows) -> Scores:
        """The cosines of rows, as `nearest_rows` gives them."""
        with self._damage:
            return cosines(self.matrix, vector, rows)

    def similarities(self, vector: Vector, ids: Sequence[str]) -> list[float]:
        """See `VectorSnapshot.similarities`."""
        self._check(vector)
        scores: list[float] = self.cosines(vector, self._numbering.rows_of(ids)).tolist()
        return scores

    def vectors_of(self, ids: Sequence[str]) -> Vectors:
        """See `VectorSnapshot.vectors_of`."""
        rows = self._numbering.rows_of(ids)
        with self._damage:
            return self.matrix[rows]

    def _check(self, vector: Vector) -> None:
        dimensions = self.matrix.shape[1]
        is_float = vector.dtype == np.float32 and vector.shape == (dimensions,)
        if is_float and abs(float(vector @ vector) - 1.0) <= UNIT_TOLERANCE:
            return  # the whole check takes as long as a hundred cosines
        check_vectors(vector[np.newaxis], 1, dimensions)
