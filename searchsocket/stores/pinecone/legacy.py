"""Rows as vectors with metadata: an index without a schema, as they were before 2026; one that is there is kept."""

from collections.abc import Mapping, Sequence
from typing import Any

from searchsocket.stores.pinecone.connection import Connection
from searchsocket.stores.pinecone.filters import Where
from searchsocket.stores.pinecone.namespace import Found, Match, unless_absent
from searchsocket.stores.pinecone.rows import Row
from searchsocket.types import Vector


class LegacyNamespace:
    """Implements `Namespace`."""

    def __init__(self, connection: Connection, client: Any, index: str, namespace: str) -> None:
        """Asks nothing yet.

        Args:
            client: The vendor's, of this index.
        """
        self._connection = connection
        self._client = client
        self._index = index
        self._namespace = namespace

    def upsert(self, rows: Sequence[Row]) -> int | None:
        """See `Namespace.upsert`."""
        vectors = [{"id": row.key, "values": row.vector, "metadata": row.metadata} for row in rows]
        answer = self._connection.write(
            lambda: self._client.upsert(namespace=self._namespace, vectors=vectors), self._index
        )
        return _place(answer, "lsn_committed")

    def update(self, where: Where, values: Mapping[str, Any]) -> int | None:
        """See `Namespace.update`."""
        answer = self._write("update", filter=where, set_metadata=values)
        matched: int | None = answer.matched_records if answer else 0
        return matched

    def delete(self, where: Where) -> None:
        """See `Namespace.delete`."""
        self._write("delete", filter=where)

    def clear(self) -> None:
        """See `Namespace.clear`."""
        self._write("delete", delete_all=True)

    def search(self, vector: Vector, *, top_k: int, where: Where, vectors: bool) -> Found:
        """See `Namespace.search`."""
        options = {"top_k": top_k, "filter": where or None, "include_values": vectors, "include_metadata": True}
        answer = self._read("query", vector=vector.tolist(), **options)
        matches = [Match(each.id, each.score, each.metadata or {}, each.values) for each in answer.matches]
        return Found(matches, _place(answer, "lsn_reconciled"))

    def _read(self, name: str, **options: Any) -> Any:
        method = getattr(self._client, name)
        return self._connection.read(lambda: method(namespace=self._namespace, **options), self._index)

    def _write(self, name: str, **options: Any) -> Any:
        method = getattr(self._client, name)
        return self._connection.write(
            lambda: unless_absent(lambda: method(namespace=self._namespace, **options)), self._index
        )


def _place(answer: Any, name: str) -> int | None:
    place: int | None = getattr(answer.response_info, name) if answer.response_info else None
    return place
