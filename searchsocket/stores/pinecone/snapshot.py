"""The vectors of one generation in Pinecone, as a query sees them."""

from collections.abc import Callable, Sequence

import numpy as np

from searchsocket.errors import RecordsMissing
from searchsocket.stores.base import VectorLimits, check_vectors
from searchsocket.stores.base.cosines import cosines
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
_MARGIN_ROWS = 16  # fetched beyond top_k: those that score alike are ordered here, by id
_MARGIN_SCORE = 1e-5  # far above the rounding of a service's float32


def max_rows_with_vectors(dimensions: int) -> int:
    """How many rows one answer holds together with their vectors."""
    row_bytes = dimensions * (BYTES_A_NUMBER + 8) + _MAX_ROW_BYTES
    return max(1, min(_MAX_IDS, _MAX_ANSWER_BYTES // row_bytes))


class PineconeSnapshot:
    """Implements `VectorSnapshot`.

    Scores are computed here, from the vectors that come with the rows: they are those of every other store, and the
    service decides only which rows are near.
    """

    # Of its numbers the service keeps float32, and sends them as it likes.
    limits = VectorLimits(is_remote=True, max_top_k=MAX_TOP_K - _MARGIN_ROWS, tolerance=1e-6)

    def __init__(self, namespace_of: Callable[[Generation], Namespace], generation: Generation) -> None:
        """Asks nothing yet."""
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
        limit = min(top_k + _MARGIN_ROWS, MAX_TOP_K)
        while True:
            vectors = limit <= self._max_rows
            found = namespace.search(vector, top_k=limit, where=rows, vectors=vectors).matches
            is_whole = len(found) < limit or limit >= MAX_TOP_K
            if is_whole or found[-1].score < found[top_k - 1].score - _MARGIN_SCORE:
                break
            limit = min(4 * limit, MAX_TOP_K)  # so many score alike that it matters which of them came
        ids = [match.record_id for match in found]
        come = [match.vector for match in found if match.vector]
        kept = np.array(come, np.float32) if len(come) == len(found) else self.vectors_of(ids)
        hits = map(Hit, ids, self._cosines(vector, kept))
        return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:top_k]

    def similarities(self, vector: Vector, ids: Sequence[str]) -> list[float]:
        """See `VectorSnapshot.similarities`."""
        self._check(vector)
        return self._cosines(vector, self.vectors_of(ids))

    def vectors_of(self, ids: Sequence[str]) -> Vectors:
        """See `VectorSnapshot.vectors_of`."""
        known: dict[str, Sequence[float]] = {}
        namespace = self._namespace_of(self._generation)
        vector = any_vector(self._generation.dimensions)
        for some in batches(dict.fromkeys(ids), self._max_rows):
            where = filters.named(self._generation.name, some)
            found = namespace.search(vector, top_k=len(some), where=where, vectors=True).matches
            known |= {match.record_id: match.vector for match in found if match.vector}
        if unknown := [id_ for id_ in ids if id_ not in known]:
            raise RecordsMissing(unknown)
        return np.array([known[id_] for id_ in ids], np.float32).reshape(len(ids), self._generation.dimensions)

    def _cosines(self, vector: Vector, vectors: Vectors) -> list[float]:
        if not len(vectors):
            return []
        scores: list[float] = cosines(vectors, vector, np.arange(len(vectors))).tolist()
        return scores

    def _check(self, vector: Vector) -> None:
        check_vectors(vector[np.newaxis], 1, self._generation.dimensions)
