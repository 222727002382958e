"""Generations in Milvus: rows with the first generation that has them and the first that has not."""

import re
import time
from collections.abc import Callable, Collection, Iterable
from typing import Any

from searchsocket.errors import VectorBackendUnavailable
from searchsocket.stores.base import VectorRow
from searchsocket.stores.milvus import filters
from searchsocket.stores.milvus.connection import Connection
from searchsocket.stores.milvus.schema import DIED, FIELDS, ID, KEY, VECTOR, check_schema, marker, row_data, schema_of
from searchsocket.stores.milvus.snapshot import MilvusSnapshot
from searchsocket.system.batches import batches
from searchsocket.types import Generation, Scope

_MAX_BATCH_ROWS = 500
_SEAL_WAITS_S = (0.05, 0.1, 0.2, 0.5, *[1.0] * 30)  # until what was written is seen by bounded reads


class MilvusVectors:
    """Implements `VectorIndex`: one collection of a project for each number of dimensions."""

    def __init__(self, connection: Connection, name: str, *, sleep: Callable[[float], None] = time.sleep) -> None:
        """Asks the server nothing yet.

        Args:
            name: Of the collections, which go on with the number of dimensions.
            sleep: Waits seconds until what was written is seen.
        """
        self._connection = connection
        self._name = re.sub(r"\W", "_", name, flags=re.ASCII)
        self._sleep = sleep

    def stage(self, generation: Generation, rows: Iterable[VectorRow], gone: Iterable[str]) -> None:
        """See `VectorIndex.stage`."""
        collection = self._made(generation.dimensions)
        for ids in batches(gone, _MAX_BATCH_ROWS):
            self._end(collection, generation, ids)
        for batch in batches(rows, _MAX_BATCH_ROWS):
            self._end(collection, generation, [row.id for row in batch])
            self._connection.call("upsert", collection, [row_data(generation, row) for row in batch])

    def seal(self, generation: Generation) -> None:
        """See `VectorIndex.seal`: who sees the last row that was written, as queries look, sees those before it."""
        collection = self._collection(generation.dimensions)
        last = marker(generation)
        self._connection.call("upsert", collection, [last])
        written = f"{KEY} == {filters.quoted(last[KEY])}"
        for wait_s in _SEAL_WAITS_S:
            if self._connection.call("query", collection, filter=written, output_fields=[KEY]):
                return
            self._sleep(wait_s)
        raise VectorBackendUnavailable(
            f"what was written to Milvus is not seen after {sum(_SEAL_WAITS_S):.0f} s; the generation before stays live"
        )

    def open(self, generation: Generation) -> MilvusSnapshot:
        """See `VectorIndex.open`."""
        return MilvusSnapshot(self._connection, self._collection(generation.dimensions), generation)

    def retain(self, scope: Scope, generations: Collection[Generation]) -> None:
        """See `VectorIndex.retain`."""
        for collection, dimensions in self._collections():
            self._connection.load(collection)
            names = [each.name for each in generations if each.dimensions == dimensions]
            self._connection.call("delete", collection, filter=filters.seen_by_none(scope.name, names))
            if names:
                ended = filters.ended_behind(scope.name, max(names))
                while rows := self._now(collection, ended):
                    self._connection.call("upsert", collection, [{**row, DIED: filters.NEVER} for row in rows])

    def _end(self, collection: str, generation: Generation, ids: Iterable[str]) -> None:
        """Let records end with the generation before."""
        where = f"{filters.of_scope(generation.scope)} and {DIED} == {filters.quoted(filters.NEVER)}"
        where += f" and {ID} in {filters.quoted_list(ids)}"
        if rows := self._now(collection, where):
            self._connection.call("upsert", collection, [{**row, DIED: generation.name} for row in rows])

    def _now(self, collection: str, where: str) -> list[dict[str, Any]]:
        """Rows as they are after all that was written, and not as most queries see them; some of many."""
        self._connection.load(collection)
        rows = self._connection.call(
            "query",
            collection,
            filter=where,
            output_fields=FIELDS,
            limit=_MAX_BATCH_ROWS,
            consistency_level="Strong",
        )
        return [dict(row) for row in rows]

    def _collection(self, dimensions: int) -> str:
        return f"{self._name}_{dimensions}"

    def _collections(self) -> list[tuple[str, int]]:
        """Those that are there, and their dimensions."""
        found = (re.fullmatch(rf"{self._name}_(\d+)", name) for name in self._connection.call("list_collections"))
        return [(match[0], int(match[1])) for match in found if match]

    def _made(self, dimensions: int) -> str:
        """The collection of these dimensions, made when there is none."""
        collection = self._collection(dimensions)
        if self._connection.call("has_collection", collection):
            check_schema(collection, self._connection.call("describe_collection", collection), dimensions)
        else:
            from pymilvus import MilvusClient

            index = MilvusClient.prepare_index_params()
            index.add_index(VECTOR, index_type="FLAT", metric_type="IP")
            self._connection.call(
                "create_collection",
                collection,
                schema=schema_of(dimensions),
                index_params=index,
                num_shards=1,  # each shard would be seen by itself
                consistency_level="Bounded",
            )
        return collection
