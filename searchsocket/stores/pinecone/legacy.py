"""Rows as vectors with metadata: an index without a schema, as all were before 2026; an existing one stays in use."""

from collections.abc import Sequence

from searchsocket.stores.pinecone.filters import Where
from searchsocket.stores.pinecone.namespace import Match, Matches
from searchsocket.stores.pinecone.requests import NamespaceRequests, log_position
from searchsocket.stores.pinecone.rows import Row
from searchsocket.types import Vector


class LegacyNamespace(NamespaceRequests):
    """Implements `Namespace`."""

    set_argument = "set_metadata"

    def upsert(self, rows: Sequence[Row]) -> int | None:
        """See `Namespace.upsert`."""
        vectors = [{"id": row.key, "values": row.vector, "metadata": row.metadata} for row in rows]
        return self._upsert(vectors=vectors)

    def search(self, vector: Vector, *, top_k: int, where: Where, vectors: bool) -> Matches:
        """See `Namespace.search`."""
        options = {"top_k": top_k, "filter": where or None, "include_values": vectors, "include_metadata": True}
        answer = self._read("query", vector=vector.tolist(), **options)
        matches = [Match(each.id, each.score, each.metadata or {}, each.values) for each in answer.matches]
        return Matches(matches, log_position(answer, "lsn_reconciled"))
