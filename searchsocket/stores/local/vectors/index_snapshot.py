"""The vectors of a generation in an index elsewhere, joined with what is known here: ids, and how many match."""

from collections.abc import Callable, Sequence
from itertools import compress
from typing import TypeVar

from searchsocket.errors import RecordsMissing, VectorsMissing
from searchsocket.stores.base import VectorLimits, VectorSnapshot
from searchsocket.stores.local.numbering import Numbering
from searchsocket.stores.local.vectors.selecting import Selector
from searchsocket.types import MATCH_ALL, Filter, Generation, Hit, Vector, Vectors

T = TypeVar("T")


class IndexVectors:
    """Implements `VectorSnapshot`.

    A server may show a row for a moment after its end, or after it was deleted, and somebody may have written rows of
    his own. The generation says which records it has, so no other is in an answer, and none that has to be is left out.
    """

    def __init__(self, shown: VectorSnapshot, generation: Generation, numbering: Numbering, selector: Selector) -> None:
        """Asks nothing yet."""
        self._shown = shown
        self._generation = generation
        self._numbering = numbering
        self._selector = selector

    @property
    def limits(self) -> VectorLimits:
        return self._shown.limits

    def nearest(self, vector: Vector, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """See `VectorSnapshot.nearest`.

        Raises:
            VectorsMissing: The index lacks records that match.
        """
        asked, limit = top_k, self.limits.max_top_k
        while True:
            hits = self._shown.nearest(vector, top_k=asked, where=where)
            known = list(compress(hits, self._numbering.holds([hit.id for hit in hits])))
            if len(known) >= top_k or len(hits) < asked or asked == limit:
                break
            asked = 4 * asked if limit is None else min(4 * asked, limit)
        if len(known) < top_k and len(known) < min(asked, self._selector.count(where)):
            raise VectorsMissing(self._generation.scope, self._generation.name)
        return known[:top_k]

    def similarities(self, vector: Vector, ids: Sequence[str]) -> list[float]:
        """See `VectorSnapshot.similarities`; raises what `vectors_of` does."""
        return self._named(ids, lambda: self._shown.similarities(vector, ids))

    def vectors_of(self, ids: Sequence[str]) -> Vectors:
        """See `VectorSnapshot.vectors_of`.

        Raises:
            VectorsMissing: The index lacks some of these records.
        """
        return self._named(ids, lambda: self._shown.vectors_of(ids))

    def _named(self, ids: Sequence[str], ask: Callable[[], T]) -> T:
        self._numbering.rows_of(ids)
        try:
            return ask()
        except RecordsMissing as error:
            raise VectorsMissing(self._generation.scope, self._generation.name, error.ids) from error
