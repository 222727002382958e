"""The vectors of a generation in a remote index, checked against the local ids and number of matches."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from searchsocket.errors import RecordsMissing, VectorsMissing
from searchsocket.stores.base import VectorIndex, VectorLimits
from searchsocket.stores.base.vectors import NOT_KEPT
from searchsocket.stores.local.numbering import Numbering
from searchsocket.stores.local.vectors.selecting import Selector
from searchsocket.types import MATCH_ALL, Filter, Generation, Hit, Vector, Vectors

T = TypeVar("T")
Born = NDArray[np.int64]


class IndexVectors:
    """Implements `VectorSnapshot`.

    A server may return an expired or deleted row for a moment, and another program may have written rows. The
    generation lists its records and the generation that wrote each. So other rows are left out, and missing rows raise
    an error.
    """

    def __init__(
        self, index: VectorIndex, generation: Generation, numbering: Numbering, selector: Selector, born: Born
    ) -> None:
        """Open the remote index without a query.

        Args:
            born: For each row the number of the generation that wrote it to the remote index.
        """
        self.born = born
        self._since = np.append(born, np.int64(NOT_KEPT))  # the last value is for ids without a record
        self._snapshot = index.open(generation, self.written)
        self._generation = generation
        self._numbering = numbering
        self._selector = selector

    @property
    def limits(self) -> VectorLimits:
        return self._snapshot.limits

    def nearest(self, vector: Vector, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """See `VectorSnapshot.nearest`.

        Raises:
            VectorsMissing: The index lacks records that match.
        """
        hits = self._snapshot.nearest(vector, top_k=top_k, where=where)
        promised = top_k if self.limits.max_top_k is None else min(top_k, self.limits.max_top_k)
        if len(hits) < promised and len(hits) < self._selector.count(where):
            raise VectorsMissing(self._generation.scope, self._generation.name)
        return hits

    def similarities(self, vector: Vector, ids: Sequence[str]) -> list[float]:
        """See `VectorSnapshot.similarities`; raises the same errors as `vectors_of`."""
        return self._named(ids, lambda: self._snapshot.similarities(vector, ids))

    def vectors_of(self, ids: Sequence[str]) -> Vectors:
        """See `VectorSnapshot.vectors_of`.

        Raises:
            VectorsMissing: The index lacks some of these records.
        """
        return self._named(ids, lambda: self._snapshot.vectors_of(ids))

    def written(self, ids: Sequence[str]) -> Sequence[int]:
        """See `Written`."""
        since: list[int] = self._since[self._numbering.rows_or_none(ids)].tolist()
        return since

    def _named(self, ids: Sequence[str], ask: Callable[[], T]) -> T:
        self._numbering.rows_of(ids)
        try:
            return ask()
        except RecordsMissing as error:
            raise VectorsMissing(self._generation.scope, self._generation.name, error.ids) from error
