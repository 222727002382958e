"""The rows of generations in Milvus, with the fields of spec 12.3 that a query compares.

A row is a record from one generation on. Its key is a hash of the scope, the id and the generation that wrote it. The
catalogue has everything that users see.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from searchsocket.extensions.milvus import filters
from searchsocket.extensions.milvus.connection import MilvusConnection
from searchsocket.extensions.milvus.filters import NEVER
from searchsocket.extensions.milvus.kinds import MilvusKind
from searchsocket.stores.base.conditions import stored_text
from searchsocket.stores.base.naming import generation_number
from searchsocket.stores.base.row_hits import RowHit
from searchsocket.stores.base.vectors import VectorRow
from searchsocket.system.batches import batches
from searchsocket.system.json_text import JsonObject
from searchsocket.types import Filter, Generation, Vector

KEY, ID, VECTOR, BORN, DIED = "row_key", "record_id", "embedding", "born", "died"
# Name -> bytes of a text, or (items, bytes of each) of a list of texts.
_TEXTS = {KEY: 64, "scope": 256, ID: 512, BORN: 32, DIED: 32}
_LISTS = {"directories": (1024, 512), "tags": (1024, 512), "labels": (1024, 512)}
FIELDS = [*_TEXTS, *_LISTS, "hidden", VECTOR]
OWN_FIELDS = frozenset({KEY, ID, BORN, DIED})  # a collection with all of these was made by some version of this module
_MAX_IDS = 500
_RESULT_FIELDS = [ID, BORN, VECTOR]


def schema_of(dimensions: int, description: str) -> Any:
    """A `CollectionSchema`."""
    from pymilvus import DataType, MilvusClient

    schema = MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False, description=description)
    for name, length in _TEXTS.items():
        schema.add_field(name, DataType.VARCHAR, max_length=length, is_primary=name == KEY)
    for name, (items, length) in _LISTS.items():
        schema.add_field(name, DataType.ARRAY, element_type=DataType.VARCHAR, max_capacity=items, max_length=length)
    schema.add_field("hidden", DataType.BOOL)
    schema.add_field(VECTOR, DataType.FLOAT_VECTOR, dim=dimensions)
    return schema


def row_data(generation: Generation, row: VectorRow) -> JsonObject:
    """A new row."""
    return {
        KEY: _key(generation, row.id),
        "scope": generation.scope,
        BORN: generation.name,
        DIED: NEVER,
        ID: row.id,
        "directories": [stored_text(path) for path in row.ancestors],
        "tags": [stored_text(tag) for tag in row.tags],
        "labels": [stored_text(label) for label in row.labels],
        "hidden": row.is_hidden,
        VECTOR: row.vector,
    }


def marker(generation: Generation) -> JsonObject:
    """A row that no generation sees and that the next run deletes. If it is visible, so are all earlier writes."""
    nothing = np.zeros(generation.dimensions, np.float32)
    nothing[0] = 1.0
    row = VectorRow("", nothing, ancestors=(), tags=(), labels=(), is_hidden=True)
    return {**row_data(generation, row), DIED: generation.name}


def _key(generation: Generation, record_id: str) -> str:
    return hashlib.sha256("\0".join([generation.scope, record_id, generation.name]).encode()).hexdigest()


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
        """At most `limit` rows that match, best first; with vectors if they fit into the answer."""
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
        """The rows of records, with vectors, in any order; each id appears once in `ids`."""
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
            output_fields=_RESULT_FIELDS,
            search_params=self._kind.search_parameters(limit, thorough=thorough),
        )
        return [_row(hit["entity"], hit["distance"]) for hit in hits]

    def _query(self, where: str, **options: int) -> list[RowHit]:
        self._connection.load(self._collection)
        rows = self._connection.call("query", self._collection, filter=where, output_fields=_RESULT_FIELDS, **options)
        return list(map(_row, rows))


def _row(fields: JsonObject, score: float = 0.0) -> RowHit:
    return RowHit(fields[ID], generation_number(fields[BORN]), score, fields[VECTOR])
