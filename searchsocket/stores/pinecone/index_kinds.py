"""Both kinds of Pinecone index: documents with a schema, which a new index has, and plain vectors of older ones."""

from collections.abc import Sequence
from typing import Any

from searchsocket.stores.pinecone.connection import PineconeConnection
from searchsocket.stores.pinecone.filters import BORN, RECORD, Where
from searchsocket.stores.pinecone.namespace import Match, Matches
from searchsocket.stores.pinecone.requests import NamespaceRequests, log_position
from searchsocket.stores.pinecone.rows import PineconeRow
from searchsocket.types import Vector


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
            client: The vendor's, of this index.
            vector_field: The field of the schema that holds the vector.
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
