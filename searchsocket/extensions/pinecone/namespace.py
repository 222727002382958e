"""The rows of one project and scope in a Pinecone index: the interface, and both kinds of index.

New indexes have documents with a schema, older ones plain vectors.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar
from urllib.parse import quote

from searchsocket.extensions.pinecone.connection import PineconeConnection
from searchsocket.extensions.pinecone.rows import BORN, RECORD, PineconeRow, Where, hit_of
from searchsocket.stores.base.row_hits import RowHit
from searchsocket.types import Vector

T = TypeVar("T")
_MAX_PROJECT_CHARS = 300  # of 512; a scope has 200


@dataclass(frozen=True, slots=True)
class Matches:
    """The rows that match a search, best first."""

    rows: list[RowHit]
    log_position: int | None  # all writes up to here were visible to the search; None: the service did not report it


class Update(NamedTuple):
    """Answer to a write by filter."""

    matched: int | None  # rows; None: the service did not report it
    log_position: int | None  # likewise


class Namespace(Protocol):
    """Implemented by `DocumentNamespace` and `LegacyNamespace`; each method is one request.

    It has no fetch, because a fetch sees a write at another time than a search, and does not report when.

    Raises:
        VectorBackendUnavailable: The service cannot be reached, or refuses.
    """

    place: tuple[str, str]  # its index and its name

    def upsert(self, rows: Sequence[PineconeRow]) -> int | None:
        """Write rows whole.

        Returns:
            The position of this write in the log; None: the service did not report it.
        """

    def update(self, where: Where, values: Mapping[str, object]) -> Update:
        """Set fields of all visible rows that match."""

    def delete(self, where: Where) -> None:
        """Delete all visible rows that match."""

    def clear(self) -> None:
        """Delete all rows."""

    def search(self, vector: Vector, *, top_k: int, vectors: bool, where: Where | None = None) -> Matches:
        """The `top_k` nearest rows that match, or all if fewer match; `vectors` adds their vectors and all fields."""


def unless_absent(ask: Callable[[], T]) -> T | None:
    """The answer of the service; None if the index or the namespace does not exist."""
    from pinecone import NotFoundError

    try:
        return ask()
    except NotFoundError:
        return None


def namespace_prefix(project_id: str) -> str:
    """The prefix of all namespace names of a project, and of no other project."""
    name = quote(project_id, safe="@/")
    return f"{name if len(name) <= _MAX_PROJECT_CHARS else hashlib.sha256(project_id.encode()).hexdigest()}:"


def namespace_name(project_id: str, scope_name: str) -> str:
    """The namespace name of a project's scope: ASCII, as the service requires."""
    return f"{namespace_prefix(project_id)}{scope_name}"


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
        self.place = (index, namespace)

    def update(self, where: Where, values: Mapping[str, object]) -> Update:
        """Set fields of all visible rows that match."""
        answer = self._write("update", filter=where, **{self.set_argument: values})
        return Update(answer.matched_records, log_position(answer, "lsn_committed")) if answer else Update(0, None)

    def delete(self, where: Where) -> None:
        """Delete all visible rows that match."""
        self._write("delete", filter=where)

    def clear(self) -> None:
        """Delete all rows."""
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
        """Write rows whole."""
        vectors = [{"id": row.key, "values": row.vector, "metadata": row.metadata} for row in rows]
        return self._upsert(vectors=vectors)

    def search(self, vector: Vector, *, top_k: int, vectors: bool, where: Where | None = None) -> Matches:
        """The `top_k` nearest rows that match, or all if fewer match; `vectors` adds their vectors and all fields."""
        options = {"top_k": top_k, "filter": where, "include_values": vectors, "include_metadata": True}
        answer = self._read("query", vector=vector.tolist(), **options)
        matches = [hit_of(match.metadata or {}, match.score, match.values) for match in answer.matches]
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
        """Write rows whole."""
        documents = [{"_id": row.key, self._field: row.vector, **row.metadata} for row in rows]
        return self._upsert(documents=documents)

    def search(self, vector: Vector, *, top_k: int, vectors: bool, where: Where | None = None) -> Matches:
        """The `top_k` nearest rows that match, or all if fewer match; `vectors` adds their vectors and all fields."""
        answer = self._read(
            "search",
            score_by=[{"type": "dense_vector", "field": self._field, "values": vector.tolist()}],
            top_k=top_k,
            filter=where,
            include_fields=["*"] if vectors else [RECORD, BORN],
        )
        fields = [document.to_dict() for document in answer.matches]
        matches = [hit_of(field, field["_score"], field.get(self._field)) for field in fields]
        return Matches(matches, log_position(answer, "lsn_reconciled"))
