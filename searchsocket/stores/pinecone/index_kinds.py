"""Both kinds of Pinecone index: documents with a schema in new indexes, and plain vectors in older ones."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from searchsocket.stores.pinecone.connection import PineconeConnection
from searchsocket.stores.pinecone.filters import BORN, RECORD, Where
from searchsocket.stores.pinecone.namespace import Match, Matches, unless_absent
from searchsocket.stores.pinecone.rows import PineconeRow
from searchsocket.types import Vector


class NamespaceRequests:
    """The requests that both kinds of `Namespace` share.

    Args:
        methods: The vendor's client of this index.
    """

    set_argument: ClassVar[str]  # the vendor's name for the values argument of `update`

    def __init__(self, connection: PineconeConnection, methods: Any, index: str, namespace: str) -> None:
        self._connection = connection
        self._methods = methods
        self._index = index
        self._namespace = namespace

    def update(self, where: Where, values: Mapping[str, object]) -> int | None:
        """See `Namespace.update`."""
        answer = self._write("update", filter=where, **{self.set_argument: values})
        matched: int | None = answer.matched_records if answer else 0
        return matched

    def delete(self, where: Where) -> None:
        """See `Namespace.delete`."""
        self._write("delete", filter=where)

    def clear(self) -> None:
        """See `Namespace.clear`."""
        self._write("delete", delete_all=True)

    def _upsert(self, **rows: Sequence[object]) -> int | None:
        """Write rows whole, and return the position of the write in the log."""
        answer = self._connection.write(lambda: self._methods.upsert(namespace=self._namespace, **rows), self._index)
        return log_position(answer, "lsn_committed")

    def _read(self, name: str, **options: object) -> Any:
        method = getattr(self._methods, name)
        return self._connection.read(lambda: method(namespace=self._namespace, **options), self._index)

    def _write(self, name: str, **options: object) -> Any:
        method = getattr(self._methods, name)
        return self._connection.write(
            lambda: unless_absent(lambda: method(namespace=self._namespace, **options)), self._index
        )


def log_position(answer: Any, name: str) -> int | None:
    """The position in the service's log of writes that an answer reports; None if it reports none."""
    position: int | None = getattr(answer.response_info, name) if answer.response_info else None
    return position


class LegacyNamespace(NamespaceRequests):
    """Implements `Namespace`."""

    set_argument = "set_metadata"

    def upsert(self, rows: Sequence[PineconeRow]) -> int | None:
        """See `Namespace.upsert`."""
        vectors = [{"id": row.key, "values": row.vector, "metadata": row.metadata} for row in rows]
        return self._upsert(vectors=vectors)

    def search(self, vector: Vector, *, top_k: int, where: Where, vectors: bool) -> Matches:
        """See `Namespace.search`."""
        options = {"top_k": top_k, "filter": where or None, "include_values": vectors, "include_metadata": True}
        answer = self._read("query", vector=vector.tolist(), **options)
        matches = [Match(each.id, each.score, each.metadata or {}, each.values) for each in answer.matches]
        return Matches(matches, log_position(answer, "lsn_reconciled"))


class DocumentNamespace(NamespaceRequests):
    """Implements `Namespace`."""

    set_argument = "set_fields"

    def __init__(
        self, connection: PineconeConnection, client: Any, index: str, namespace: str, vector_field: str
    ) -> None:
        """Asks nothing yet.

        Args:
            client: The vendor's client of this index.
            vector_field: The schema's field for the vector.
        """
        super().__init__(connection, client.documents, index, namespace)
        self._field = vector_field

    def upsert(self, rows: Sequence[PineconeRow]) -> int | None:
        """See `Namespace.upsert`."""
        documents = [{"_id": row.key, self._field: row.vector, **row.metadata} for row in rows]
        return self._upsert(documents=documents)

    def search(self, vector: Vector, *, top_k: int, where: Where, vectors: bool) -> Matches:
        """See `Namespace.search`."""
        answer = self._read(
            "search",
            score_by=[{"type": "dense_vector", "field": self._field, "values": vector.tolist()}],
            top_k=top_k,
            filter=where or None,
            include_fields=["*"] if vectors else [RECORD, BORN],
        )
        fields = [document.to_dict() for document in answer.matches]
        matches = [Match(each["_id"], each["_score"], each, each.get(self._field)) for each in fields]
        return Matches(matches, log_position(answer, "lsn_reconciled"))
