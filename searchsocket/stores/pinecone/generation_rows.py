"""The rows of one generation in Pinecone."""

from collections.abc import Callable, Sequence

from searchsocket.stores.base.row_hits import RowHit
from searchsocket.stores.pinecone import filters
from searchsocket.stores.pinecone.mark import any_vector
from searchsocket.stores.pinecone.namespace import Namespace
from searchsocket.stores.pinecone.rows import BYTES_A_NUMBER
from searchsocket.stores.pinecone.rows import ROOM_FOR_THE_REST as _MAX_ROW_BYTES
from searchsocket.system.batches import batches
from searchsocket.types import Filter, Generation, Vector

MAX_TOP_K = 10_000  # "Max top_k value: 10,000. Max result size: 4 MB"
_MAX_ANSWER_BYTES = 3_500_000
_MAX_IDS = 1000
_DOUBLES = 16  # spare rows per request, because some records may appear twice


def max_rows_with_vectors(dimensions: int) -> int:
    """The most rows that fit into one answer together with their vectors."""
    row_bytes = dimensions * (BYTES_A_NUMBER + 8) + _MAX_ROW_BYTES
    return max(1, min(_MAX_IDS, _MAX_ANSWER_BYTES // row_bytes))


class PineconeGenerationRows:
    """Implements `GenerationRows`."""

    max_rows = MAX_TOP_K
    index = "pinecone"
    is_exact = False  # the service chooses how it searches
    tolerance = 1e-6  # the service stores float32, and sends numbers in its own format

    def __init__(self, namespace_of: Callable[[Generation], Namespace], generation: Generation) -> None:
        """Calls nothing yet."""
        self._namespace_of = namespace_of
        self._generation = generation
        self._max_rows_with_vectors = max_rows_with_vectors(generation.dimensions)

    def nearest(self, vector: Vector, limit: int, where: Filter) -> Sequence[RowHit]:
        """See `GenerationRows.nearest`."""
        matches = self._namespace_of(self._generation).search(
            vector,
            top_k=limit,
            where=filters.matching(self._generation.name, where),
            vectors=limit <= self._max_rows_with_vectors,
        )
        return [match.row_hit for match in matches.rows]

    def named(self, ids: Sequence[str]) -> Sequence[RowHit]:
        """See `GenerationRows.named`."""
        namespace, limit = self._namespace_of(self._generation), self._max_rows_with_vectors
        vector = any_vector(self._generation.dimensions)
        waiting = list(batches(ids, max(1, limit - _DOUBLES)))
        rows: list[RowHit] = []
        while waiting:
            some = waiting.pop()
            where = filters.named(self._generation.name, some)
            matches = namespace.search(vector, top_k=limit, where=where, vectors=True).rows
            if len(matches) == limit and len(some) > 1:  # some records may appear twice
                middle = len(some) // 2
                waiting += [some[:middle], some[middle:]]
            else:
                rows += [match.row_hit for match in matches if match.vector]
        return rows
