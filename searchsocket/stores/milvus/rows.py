"""The rows of one generation in Milvus."""

from collections.abc import Mapping, Sequence
from typing import Any

from searchsocket.stores.base.naming import generation_number
from searchsocket.stores.base.row_hits import RowHit
from searchsocket.stores.milvus import filters
from searchsocket.stores.milvus.connection import MilvusConnection
from searchsocket.stores.milvus.schema import BORN, ID, VECTOR
from searchsocket.system.batches import batches
from searchsocket.types import EXACT, Filter, Generation, Vector

_MAX_IDS = 500
_FIELDS = [ID, BORN, VECTOR]
# "Set this parameter to 10 for the most accurate results" (Zilliz Cloud, where the service chooses the kind of index);
# others pass over it.
_PARAMETERS = {"params": {"level": 10}}


class MilvusRows:
    """Implements `GenerationRows`."""

    max_rows = 16_384  # that a server answers at most
    tolerance = 0.0
    index = EXACT
    is_exact = True

    def __init__(self, connection: MilvusConnection, collection: str, generation: Generation) -> None:
        """Calls nothing yet."""
        self._connection = connection
        self._collection = collection
        self._seen = filters.seen_by(generation.scope, generation.name)

    def nearest(self, vector: Vector, limit: int, where: Filter) -> Sequence[RowHit]:
        """See `GenerationRows.nearest`."""
        self._connection.load(self._collection)
        [hits] = self._connection.call(
            "search",
            self._collection,
            data=[vector],
            anns_field=VECTOR,
            limit=limit,
            filter=self._seen + filters.matching(where),
            output_fields=_FIELDS,
            search_params=_PARAMETERS,
        )
        return [_row(hit["entity"], hit["distance"]) for hit in hits]

    def named(self, ids: Sequence[str]) -> Sequence[RowHit]:
        """See `GenerationRows.named`."""
        self._connection.load(self._collection)
        rows: list[RowHit] = []
        for some in batches(ids, _MAX_IDS):
            where = f"{self._seen} and {ID} in {filters.quoted_list(some)}"
            rows += map(_row, self._connection.call("query", self._collection, filter=where, output_fields=_FIELDS))
        return rows


def _row(fields: Mapping[str, Any], score: float = 0.0) -> RowHit:
    return RowHit(fields[ID], generation_number(fields[BORN]), score, fields[VECTOR])
