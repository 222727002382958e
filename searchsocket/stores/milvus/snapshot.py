"""The vectors of one generation in Milvus, as a query sees them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from searchsocket.errors import RecordsMissing
from searchsocket.stores.base import VectorLimits, check_vectors
from searchsocket.stores.base.cosines import cosines
from searchsocket.stores.milvus import filters
from searchsocket.stores.milvus.connection import Connection
from searchsocket.stores.milvus.schema import BORN, ID, VECTOR
from searchsocket.system.batches import batches
from searchsocket.types import MATCH_ALL, Filter, Generation, Hit, Vector, Vectors

MAX_TOP_K = 16_384  # what a server answers at most
_MARGIN_ROWS = 16  # fetched beyond top_k: those that score alike are ordered here, by id
_MARGIN_SCORE = 1e-5  # far above the rounding of a server's float32
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

    limits = VectorLimits(is_remote=True, max_top_k=MAX_TOP_K - _MARGIN_ROWS)

    def __init__(self, connection: Connection, collection: str, generation: Generation) -> None:
        self._connection = connection
        self._collection = collection
        self._generation = generation
        self._rows = filters.seen_by(generation.scope, generation.name)

    def nearest(self, vector: Vector, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """See `VectorSnapshot.nearest`."""
        self._check(vector)
        limit = top_k + _MARGIN_ROWS
        while True:
            found = self._search(vector, limit, where) if top_k > 0 else []
            is_whole = len(found) < limit or limit >= MAX_TOP_K
            if is_whole or found[-1]["distance"] < found[top_k - 1]["distance"] - _MARGIN_SCORE:
                break
            limit = min(4 * limit, MAX_TOP_K)  # so many score alike that it matters which of them came
        rows = _newest(hit["entity"] for hit in found)
        scores = self._cosines(vector, [row[VECTOR] for row in rows.values()])
        return sorted(map(Hit, rows, scores), key=lambda hit: (-hit.score, hit.id))[:top_k]

    def similarities(self, vector: Vector, ids: Sequence[str]) -> list[float]:
        """See `VectorSnapshot.similarities`."""
        self._check(vector)
        return self._cosines(vector, list(self.vectors_of(ids)))

    def vectors_of(self, ids: Sequence[str]) -> Vectors:
        """See `VectorSnapshot.vectors_of`."""
        known: dict[str, Mapping[str, Any]] = {}
        self._connection.load(self._collection)
        for some in batches(dict.fromkeys(ids), _MAX_IDS):
            where = f"{self._rows} and {ID} in {filters.quoted_list(some)}"
            known |= _newest(self._connection.call("query", self._collection, filter=where, output_fields=_FIELDS))
        if unknown := [id_ for id_ in ids if id_ not in known]:
            raise RecordsMissing(unknown)
        return np.array([known[id_][VECTOR] for id_ in ids], np.float32).reshape(len(ids), self._generation.dimensions)

    def _search(self, vector: Vector, limit: int, where: Filter) -> list[Any]:
        self._connection.load(self._collection)
        [found] = self._connection.call(
            "search",
            self._collection,
            data=[vector],
            anns_field=VECTOR,
            limit=limit,
            filter=self._rows + filters.matching(where),
            output_fields=_FIELDS,
            search_params=_PARAMETERS,
        )
        return list(found)

    def _cosines(self, vector: Vector, vectors: Sequence[Any]) -> list[float]:
        if not vectors:
            return []
        scores: list[float] = cosines(np.array(vectors, np.float32), vector, np.arange(len(vectors))).tolist()
        return scores

    def _check(self, vector: Vector) -> None:
        check_vectors(vector[np.newaxis], 1, self._generation.dimensions)


def _newest(rows: Iterable[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """One row a record: for a moment a server may show one that ended beside what follows it, or a row twice."""
    newest: dict[str, Mapping[str, Any]] = {}
    for row in rows:
        if row[ID] not in newest or row[BORN] > newest[row[ID]][BORN]:
            newest[row[ID]] = row
    return newest
