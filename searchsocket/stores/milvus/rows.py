"""The rows of one generation in Milvus."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from searchsocket.stores.base.naming import generation_number
from searchsocket.stores.base.row_hits import RowHit
from searchsocket.stores.milvus import filters
from searchsocket.stores.milvus.connection import MilvusConnection
from searchsocket.stores.milvus.kinds import MilvusKind
from searchsocket.stores.milvus.schema import BORN, ID, VECTOR
from searchsocket.system.batches import batches
from searchsocket.system.json_text import JsonObject
from searchsocket.types import Filter, Generation, Vector

_MAX_IDS = 500
_FIELDS = [ID, BORN, VECTOR]


class MilvusRows:
    """Implements `GenerationRows`."""

    max_rows = 16_384  # limit of a server's answer
    tolerance = 0.0

    def __init__(
        self, connection: MilvusConnection, collection: str, generation: Generation, kind: MilvusKind, *, is_exact: bool
    ) -> None:
        """Calls nothing yet."""
        self.index, self.is_exact = kind.text, is_exact
        self._kind = kind
        self._connection = connection
        self._collection = collection
        self._visible = filters.visible_to(generation.scope, generation.name)

    def nearest(self, vector: Vector, limit: int, where: Filter) -> Sequence[RowHit]:
        """See `GenerationRows.nearest`."""
        hits = self._search(vector, limit, where, thorough=False)
        if self._kind.is_exact or len(hits) == limit:
            return hits
        # The index may not reach all rows that match. If fewer than `limit` match, return all; else add some of them.
        rows = self._query(self._visible + filters.matching(where), limit=limit)
        near = self._search(vector, limit, where, thorough=True) if len(rows) == limit else []
        by_key = {
            (row.id, row.born): replace(row, score=float(np.asarray(row.vector) @ vector)) for row in [*rows, *near]
        }
        return sorted(by_key.values(), key=lambda row: -row.score)[:limit]

    def named(self, ids: Sequence[str]) -> Sequence[RowHit]:
        """See `GenerationRows.named`."""
        rows: list[RowHit] = []
        for some in batches(ids, _MAX_IDS):
            rows += self._query(f"{self._visible} and {ID} in {filters.quoted_list(some)}")
        return rows

    def _search(self, vector: Vector, limit: int, where: Filter, *, thorough: bool) -> list[RowHit]:
        self._connection.load(self._collection)
        [hits] = self._connection.call(
            "search",
            self._collection,
            data=[vector],
            anns_field=VECTOR,
            limit=limit,
            filter=self._visible + filters.matching(where),
            output_fields=_FIELDS,
            search_params=self._kind.search_parameters(limit, thorough=thorough),
        )
        return [_row(hit["entity"], hit["distance"]) for hit in hits]

    def _query(self, where: str, **options: int) -> list[RowHit]:
        self._connection.load(self._collection)
        rows = self._connection.call("query", self._collection, filter=where, output_fields=_FIELDS, **options)
        return list(map(_row, rows))


def _row(fields: JsonObject, score: float = 0.0) -> RowHit:
    return RowHit(fields[ID], generation_number(fields[BORN]), score, fields[VECTOR])
