"""Rows as documents: an index with a schema, which is what a new one is."""

from collections.abc import Mapping, Sequence
from typing import Any

from searchsocket.stores.pinecone.connection import Connection
from searchsocket.stores.pinecone.filters import RECORD, Where
from searchsocket.stores.pinecone.namespace import Found, Match, unless_absent
from searchsocket.stores.pinecone.rows import Row
from searchsocket.types import Vector


class DocumentNamespace:
    """Implements `Namespace`."""

    def __init__(self, connection: Connection, client: Any, index: str, namespace: str, vector_field: str) -> None:
        """Asks nothing yet.

        Args:
            client: The vendor's, of this index.
            vector_field: The field of the schema that holds the vector.
        """
        self._connection = connection
        self._documents = client.documents
        self._index = index
        self._namespace = namespace
        self._field = vector_field

    def upsert(self, rows: Sequence[Row]) -> int | None:
        """See `Namespace.upsert`."""
        documents = [{"_id": row.key, self._field: row.vector, **row.metadata} for row in rows]
        answer = self._connection.write(
            lambda: self._documents.upsert(namespace=self._namespace, documents=documents), self._index
        )
        return _place(answer, "lsn_committed")

    def update(self, where: Where, values: Mapping[str, Any]) -> int | None:
        """See `Namespace.update`."""
        answer = self._write("update", filter=where, set_fields=values)
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
        answer = self._read(
            "search",
            score_by=[{"type": "dense_vector", "field": self._field, "values": vector.tolist()}],
            top_k=top_k,
            filter=where or None,
            include_fields=["*"] if vectors else [RECORD],
        )
        fields = [document.to_dict() for document in answer.matches]
        matches = [Match(each["_id"], each["_score"], each, each.get(self._field)) for each in fields]
        return Found(matches, _place(answer, "lsn_reconciled"))

    def _read(self, name: str, **options: Any) -> Any:
        method = getattr(self._documents, name)
        return self._connection.read(lambda: method(namespace=self._namespace, **options), self._index)

    def _write(self, name: str, **options: Any) -> Any:
        method = getattr(self._documents, name)
        return self._connection.write(
            lambda: unless_absent(lambda: method(namespace=self._namespace, **options)), self._index
        )


def _place(answer: Any, name: str) -> int | None:
    place: int | None = getattr(answer.response_info, name) if answer.response_info else None
    return place
