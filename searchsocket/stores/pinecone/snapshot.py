"""The vectors of one generation in Pinecone, as a query sees them."""

from collections.abc import Callable, Sequence

import numpy as np

from searchsocket.errors import RecordsMissing
from searchsocket.stores.base import VectorLimits, check_vectors, row_hits
from searchsocket.stores.base.cosines import cosines
from searchsocket.stores.base.row_hits import RowHit
from searchsocket.stores.base.vectors import Written
from searchsocket.stores.pinecone import filters
from searchsocket.stores.pinecone.mark import any_vector
from searchsocket.stores.pinecone.namespace import Namespace
from searchsocket.stores.pinecone.rows import BYTES_A_NUMBER
from searchsocket.stores.pinecone.rows import ROOM_FOR_THE_REST as _MAX_ROW_BYTES
from searchsocket.system.batches import batches
from searchsocket.types import MATCH_ALL, Filter, Generation, Hit, Vector, Vectors

MAX_TOP_K = 10_000  # "Max top_k value: 10,000. Max result size: 4 MB"
_MAX_ANSWER_BYTES = 3_500_000
_MAX_IDS = 1000
_DOUBLES = 16  # rows that there is room for beside those that were named, where some are shown twice


def max_rows_with_vectors(dimensions: int) -> int:
    """The most rows that fit into one answer together with their vectors."""
    row_bytes = dimensions * (BYTES_A_NUMBER + 8) + _MAX_ROW_BYTES
    return max(1, min(_MAX_IDS, _MAX_ANSWER_BYTES // row_bytes))


class PineconeSnapshot:
    """Implements `VectorSnapshot`.

    Scores are computed here, from the vectors that come with the rows: they are those of every other store, and the
    service decides only which rows are near.
    """

    # Of its numbers the service keeps float32, and sends them as it likes.
    limits = VectorLimits(is_remote=True, max_top_k=row_hits.max_top_k(MAX_TOP_K), tolerance=1e-6)

    def __init__(
        self, namespace_of: Callable[[Generation], Namespace], generation: Generation, written: Written
    ) -> None:
        """Asks nothing yet; see `VectorIndex.open`."""
        self._written = written
        self._namespace_of = namespace_of
        self._generation = generation
        self._max_rows = max_rows_with_vectors(generation.dimensions)

    def nearest(self, vector: Vector, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """See `VectorSnapshot.nearest`."""
        self._check(vector)
        if top_k <= 0:
            return []
        namespace = self._namespace_of(self._generation)
        rows = filters.matching(self._generation.name, where)

        def ask(limit: int) -> list[RowHit]:
            matches = namespace.search(vector, top_k=limit, where=rows, vectors=limit <= self._max_rows)
            return [match.row_hit for match in matches.rows]

        by_id = row_hits.nearest(ask, top_k, MAX_TOP_K, self._written)
        returned = [row.vector for row in by_id.values() if row.vector]
        vectors = np.array(returned, np.float32) if len(returned) == len(by_id) else self.vectors_of(list(by_id))
        hits = map(Hit, by_id, self._cosines(vector, vectors))
        return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:top_k]

    def similarities(self, vector: Vector, ids: Sequence[str]) -> list[float]:
        """See `VectorSnapshot.similarities`."""
        self._check(vector)
        return self._cosines(vector, self.vectors_of(ids))

    def vectors_of(self, ids: Sequence[str]) -> Vectors:
        """See `VectorSnapshot.vectors_of`."""
        by_id: dict[str, RowHit] = {}
        namespace = self._namespace_of(self._generation)
        vector = any_vector(self._generation.dimensions)
        waiting = list(batches(dict.fromkeys(ids), max(1, self._max_rows - _DOUBLES)))
        while waiting:
            some = waiting.pop()
            where = filters.named(self._generation.name, some)
            matches = namespace.search(vector, top_k=self._max_rows, where=where, vectors=True).rows
            if len(matches) == self._max_rows and len(some) > 1:  # perhaps some of those that are shown twice
                middle = len(some) // 2
                waiting += [some[:middle], some[middle:]]
            else:
                by_id |= row_hits.newest([match.row_hit for match in matches if match.vector], self._written)
        if unknown := [id_ for id_ in ids if id_ not in by_id]:
            raise RecordsMissing(unknown)
        return np.array([by_id[id_].vector for id_ in ids], np.float32).reshape(len(ids), self._generation.dimensions)

    def _cosines(self, vector: Vector, vectors: Vectors) -> list[float]:
        if not len(vectors):
            return []
        scores: list[float] = cosines(vectors, vector, np.arange(len(vectors))).tolist()
        return scores

    def _check(self, vector: Vector) -> None:
        check_vectors(vector[np.newaxis], 1, self._generation.dimensions)
