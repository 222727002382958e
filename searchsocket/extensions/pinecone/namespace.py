"""The rows of one project and scope in a Pinecone index, with the fields of spec 12.1 that a query compares.

New indexes have documents with a schema, older ones plain vectors.

A namespace carries project and scope in its name, so its rows lack them. Its marker row describes the scope.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar
from urllib.parse import quote

import numpy as np

from searchsocket.errors import VectorBackendUnavailable
from searchsocket.extensions.pinecone.connection import PineconeConnection
from searchsocket.stores.base.conditions import Among, Between, Condition, Conditions, Either
from searchsocket.stores.base.row_hits import RowHit
from searchsocket.stores.base.tables import FIELDS, TableRow
from searchsocket.stores.base.vectors import RegisteredScope
from searchsocket.system.json_text import JsonObject
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


Where = Mapping[str, object]

RECORD, BORN, DIED, HIDDEN, BUCKET, KIND = "record", "born", "died", "hidden", "bucket", "kind"
BUCKETS = 1 << 20  # each row is in one of these, by its key, so that rows can be read in parts
MARK = Among(KIND, ("mark",))
# "Max documents per upsert request: 1,000. Max document upsert request size: 2 MB", 40 KB of metadata for each.
_MAX_BATCH_ROWS = 1000
_MAX_BATCH_BYTES = 1_900_000
_MAX_METADATA_BYTES = 39_000
_DIGEST_CHARS = 25
_DECIMALS = 12  # the float32 of every number above 1e-5, in two thirds of the digits
BYTES_A_NUMBER = _DECIMALS + 4  # `-0.`, the digits and a comma
ROOM_FOR_THE_REST = 600  # bytes around vector and metadata


@dataclass(frozen=True, slots=True)
class PineconeRow:
    """A row to be written."""

    key: str
    vector: list[float]
    metadata: JsonObject
    size: int  # bytes on the wire, at most


def row_of(row: TableRow) -> PineconeRow:
    """The row of a record.

    Raises:
        VectorBackendUnavailable: Its filter fields exceed the service's metadata limit.
    """
    lists = {name: list(getattr(row, name)) for name, kind in FIELDS.items() if kind is tuple}
    metadata: JsonObject = {
        RECORD: row.record,
        BORN: row.born,
        DIED: row.died,
        BUCKET: int(row.key[:12], 16) % BUCKETS,
        HIDDEN: bool(row.hidden),
        **lists,
    }
    size = _size(metadata)
    if size > _MAX_METADATA_BYTES:
        metadata |= {name: list(map(_shortest_of, texts)) for name, texts in lists.items()}
        size = _size(metadata)
    if size > _MAX_METADATA_BYTES:
        raise VectorBackendUnavailable(
            f"Pinecone stores at most {_MAX_METADATA_BYTES} bytes of metadata per record, but {row.directories[-1]!r} "
            f"needs {size}, with {len(row.tags)} tags and {len(row.labels)} labels; use fewer tags or facets there"
        )
    return PineconeRow(
        row.key, _numbers(row.vector), metadata, size + BYTES_A_NUMBER * len(row.vector) + ROOM_FOR_THE_REST
    )


def mark_of(row: TableRow) -> PineconeRow:
    """The marker row of a namespace, with the fields of a scope's description."""
    return PineconeRow("mark", _numbers(row.vector), {HIDDEN: True, KIND: "mark", **json.loads(row.note)}, 0)


def hit_of(metadata: JsonObject, score: float, vector: Sequence[float] | None) -> RowHit:
    """A row that a search found; the marker row as the row that describes its scope."""
    if KIND not in metadata:
        return RowHit(str(metadata.get(RECORD, "")), int(metadata.get(BORN, 0)), score, vector or None)
    scope = RegisteredScope(
        scope=str(metadata.get("scope", "")),
        project_id=str(metadata.get("project_id", "")),
        model_id=str(metadata.get("model_id", "")),
        dimensions=int(metadata.get("dimensions", 0)),
        generations=tuple(map(str, metadata.get("generations", ()))),
        indexed_at=str(metadata.get("indexed_at", "")),
        records=int(metadata.get("records", 0)),
    )
    return RowHit(scope.scope, 0, score, vector or None, json.dumps(asdict(scope)))


def where_of(conditions: Conditions) -> Where:
    """Conditions in the service's filter language."""
    parts = list(map(_where, conditions))
    return parts[0] if len(parts) == 1 else {"$and": parts}


def _where(condition: Condition) -> Where:
    match condition:
        case Between("hidden", low, _):
            return {HIDDEN: {"$eq": bool(low)}}  # one of two values
        case Between(field, low, high):
            return {field: {"$gte": low, "$lt": high}}
        case Among(field, texts) if FIELDS.get(field) is tuple:
            # Both spellings of each: the row of a page with a great many of them keeps the shorter one.
            return {field: {"$in": list(dict.fromkeys([*texts, *map(_shortest_of, texts)]))}}
        case Among(field, texts):
            return {field: {"$in": list(texts)}}
        case Either(conditions):
            return {"$or": list(map(_where, conditions))}


def upsert_batches(rows: Iterable[PineconeRow]) -> Iterator[Sequence[PineconeRow]]:
    """Batches of rows, in order, that each fit into one request."""
    batch: list[PineconeRow] = []
    size = 0
    for row in rows:
        if batch and (len(batch) == _MAX_BATCH_ROWS or size + row.size > _MAX_BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(row)
        size += row.size
    if batch:
        yield batch


def any_vector(dimensions: int) -> Vector:
    """A query vector for searches by filter alone."""
    vector: Vector = np.eye(1, dimensions, dtype=np.float32)[0]
    return vector


def _shortest_of(text: str) -> str:
    """A text, or the short digest of a long one, for places with a size limit."""
    return (
        text if len(text.encode()) < _DIGEST_CHARS else f"#{hashlib.sha256(text.encode()).hexdigest()}"[:_DIGEST_CHARS]
    )


def _numbers(vector: Vector) -> list[float]:
    """A vector as it is sent."""
    sent: list[float] = np.round(vector.astype(np.float64), _DECIMALS).tolist()
    return sent


def _size(metadata: dict[str, object]) -> int:
    """Bytes as JSON; the client writes texts of other scripts as they are, which takes no more."""
    return len(json.dumps(metadata, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass"))


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
