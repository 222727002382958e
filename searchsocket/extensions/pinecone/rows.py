"""Contents of a row: the fields of spec 12.1 that a query compares. The catalogue has everything that users see.

A row is a record from one generation on. Its key consists of the record's id and the generation that wrote it.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from searchsocket.errors import VectorBackendUnavailable
from searchsocket.extensions.pinecone.filters import (
    BORN,
    BUCKET,
    BUCKETS,
    DIED,
    DIRECTORIES,
    HIDDEN,
    LABELS,
    NEVER,
    RECORD,
    TAGS,
    shortest_of,
)
from searchsocket.stores.base import VectorRow
from searchsocket.stores.base.naming import generation_number
from searchsocket.system.json_text import JsonObject
from searchsocket.text.storable import storable
from searchsocket.types import Generation, Vector

# "Max documents per upsert request: 1,000. Max document upsert request size: 2 MB", 40 KB of metadata for each.
MAX_BATCH_ROWS = 1000
_MAX_BATCH_BYTES = 1_900_000
_MAX_METADATA_BYTES = 39_000
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


def new_row(generation: Generation, row: VectorRow) -> PineconeRow:
    """The new row of a record in a generation.

    Raises:
        VectorBackendUnavailable: Its filter fields exceed the service's metadata limit.
    """
    key = hashlib.sha256(f"{row.id}\0{generation.name}".encode("utf-8", "surrogatepass")).hexdigest()[:40]
    metadata: JsonObject = {
        RECORD: storable(row.id),
        BORN: generation_number(generation.name),
        DIED: NEVER,
        BUCKET: int(key[:12], 16) % BUCKETS,
        HIDDEN: row.is_hidden,
        DIRECTORIES: [storable(path) for path in row.ancestors],
        TAGS: [storable(tag) for tag in row.tags],
        LABELS: [storable(label) for label in row.labels],
    }
    size = _size(metadata)
    if size > _MAX_METADATA_BYTES:
        metadata |= {name: list(map(shortest_of, metadata[name])) for name in (DIRECTORIES, TAGS, LABELS)}
        size = _size(metadata)
    if size > _MAX_METADATA_BYTES:
        raise VectorBackendUnavailable(
            f"Pinecone stores at most {_MAX_METADATA_BYTES} bytes of metadata per record, but {row.ancestors[-1]!r} "
            f"needs {size}, with {len(row.tags)} tags and {len(row.labels)} labels; use fewer tags or facets there"
        )
    return PineconeRow(key, numbers(row.vector), metadata, size + BYTES_A_NUMBER * len(row.vector) + ROOM_FOR_THE_REST)


def upsert_batches(rows: Iterable[PineconeRow]) -> Iterator[Sequence[PineconeRow]]:
    """Batches of rows, in order, that each fit into one request."""
    batch: list[PineconeRow] = []
    size = 0
    for row in rows:
        if batch and (len(batch) == MAX_BATCH_ROWS or size + row.size > _MAX_BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(row)
        size += row.size
    if batch:
        yield batch


def numbers(vector: Vector) -> list[float]:
    """A vector as it is sent."""
    sent: list[float] = np.round(vector.astype(np.float64), _DECIMALS).tolist()
    return sent


def _size(metadata: dict[str, object]) -> int:
    """Bytes as JSON; the client writes texts of other scripts as they are, which takes no more."""
    return len(json.dumps(metadata, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass"))
