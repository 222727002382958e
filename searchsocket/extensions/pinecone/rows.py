"""Contents of a row: the fields of spec 12.1 that a query compares. The catalogue has everything that users see.

A namespace carries project and scope in its name, so its rows lack them. Its marker row describes the scope.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from searchsocket.errors import VectorBackendUnavailable
from searchsocket.stores.base.conditions import Among, Between, Condition, Conditions, Either
from searchsocket.stores.base.row_hits import RowHit
from searchsocket.stores.base.tables import FIELDS, TableRow
from searchsocket.stores.base.vectors import RegisteredScope
from searchsocket.system.json_text import JsonObject
from searchsocket.types import Vector

RECORD, BORN, DIED, HIDDEN, BUCKET, KIND = "record", "born", "died", "hidden", "bucket", "kind"
BUCKETS = 1 << 20  # each row is in one of these, by its key, so that rows can be read in parts
MARK = Among(KIND, ("mark",))
Where = Mapping[str, object]
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
