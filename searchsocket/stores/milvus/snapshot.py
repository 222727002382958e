"""The vectors of one generation in Milvus, as a query sees them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from searchsocket.errors import RecordsMissing
from searchsocket.stores.base import VectorLimits, check_vectors, row_hits
from searchsocket.stores.base.cosines import cosines
from searchsocket.stores.base.naming import generation_number
from searchsocket.stores.base.row_hits import RowHit
from searchsocket.stores.base.vectors import Written
from searchsocket.stores.milvus import filters
from searchsocket.stores.milvus.connection import MilvusConnection
from searchsocket.stores.milvus.schema import BORN, ID, VECTOR
from searchsocket.system.batches import batches
from searchsocket.types import MATCH_ALL, Filter, Generation, Hit, Vector, Vectors

MAX_TOP_K = 16_384  # what a server answers at most
_MAX_IDS = 500
_FIELDS = [ID, BORN, VECTOR]
# "Set this parameter to 10 for the most accurate results" (Zilliz Cloud, where the service chooses the kind of index);
# others pass over it.
_PARAMETERS = {"params": {"level": 10}}


class MilvusSnapshot:
    """Implements `VectorSnapshot`.

    Scores are computed here, from the vectors that come with the rows: they are those of every other store, to the
    digit, and the server decides only which rows are near.
    """

    limits = VectorLimits(is_remote=True, max_top_k=row_hits.max_top_k(MAX_TOP_K))

    def __init__(self, connection: MilvusConnection, collection: str, generation: Generation, written: Written) -> None:
        """Asks nothing yet; see `VectorIndex.open`."""
        self._written = written
        self._connection = connection
        self._collection = collection
        self._generation = generation
        self._rows = filters.seen_by(generation.scope, generation.name)

    def nearest(self, vector: Vector, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """See `VectorSnapshot.nearest`."""
        self._check(vector)
        if top_k <= 0:
            return []
        rows = row_hits.nearest(lambda limit: self._search(vector, limit, where), top_k, MAX_TOP_K, self._written)
        scores = self._cosines(vector, [row.vector for row in rows.values()])
        return sorted(map(Hit, rows, scores), key=lambda hit: (-hit.score, hit.id))[:top_k]

    def similarities(self, vector: Vector, ids: Sequence[str]) -> list[float]:
        """See `VectorSnapshot.similarities`."""
        self._check(vector)
        return self._cosines(vector, list(self.vectors_of(ids)))

    def vectors_of(self, ids: Sequence[str]) -> Vectors:
        """See `VectorSnapshot.vectors_of`."""
        by_id: dict[str, RowHit] = {}
        self._connection.load(self._collection)
        for some in batches(dict.fromkeys(ids), _MAX_IDS):
            where = f"{self._rows} and {ID} in {filters.quoted_list(some)}"
            rows = self._connection.call("query", self._collection, filter=where, output_fields=_FIELDS)
            by_id |= row_hits.newest(list(map(_row, rows)), self._written)
        if unknown := [id_ for id_ in ids if id_ not in by_id]:
            raise RecordsMissing(unknown)
        return np.array([by_id[id_].vector for id_ in ids], np.float32).reshape(len(ids), self._generation.dimensions)

    def _search(self, vector: Vector, limit: int, where: Filter) -> list[RowHit]:
        self._connection.load(self._collection)
        [hits] = self._connection.call(
            "search",
            self._collection,
            data=[vector],
            anns_field=VECTOR,
            limit=limit,
            filter=self._rows + filters.matching(where),
            output_fields=_FIELDS,
            search_params=_PARAMETERS,
        )
        return [_row(hit["entity"], hit["distance"]) for hit in hits]

    def _cosines(self, vector: Vector, vectors: Sequence[Any]) -> list[float]:
        if not vectors:
            return []
        scores: list[float] = cosines(np.array(vectors, np.float32), vector, np.arange(len(vectors))).tolist()
        return scores

    def _check(self, vector: Vector) -> None:
        check_vectors(vector[np.newaxis], 1, self._generation.dimensions)


def _row(fields: Mapping[str, Any], score: float = 0.0) -> RowHit:
    return RowHit(fields[ID], generation_number(fields[BORN]), score, fields[VECTOR])
