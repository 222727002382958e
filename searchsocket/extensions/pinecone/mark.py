"""Marker row of a namespace, written last: lists the live generations and shows readers that the write is complete."""

from collections.abc import Callable
from itertools import chain

import numpy as np

from searchsocket.errors import VectorBackendRefused, VectorBackendUnavailable
from searchsocket.extensions.pinecone.filters import HIDDEN
from searchsocket.extensions.pinecone.namespace import Namespace
from searchsocket.extensions.pinecone.rows import PineconeRow, numbers
from searchsocket.stores.base.upkeep import RegisteredScope
from searchsocket.system.json_text import JsonObject
from searchsocket.types import Vector

_KEY, _KIND = "mark", "kind"
_VISIBILITY_WAITS_S = (0.1, 0.2, 0.5, *[1.0] * 120)  # until searches see the writes
_MARK = {_KIND: {"$eq": _KEY}}
_NOTHING = RegisteredScope("", "", "", 0, (), "", 0)


def any_vector(dimensions: int) -> Vector:
    """A query vector for searches by filter alone."""
    vector: Vector = np.eye(1, dimensions, dtype=np.float32)[0]
    return vector


def registered_in(namespace: Namespace, dimensions: int) -> RegisteredScope | None:
    """The summary in a namespace's marker row; None if there is none."""
    marks = namespace.search(any_vector(dimensions), top_k=1, where=_MARK, vectors=True).rows
    scope = _registered(marks[0].metadata) if marks else None
    return scope if scope and scope.generations else None


def write_mark(
    namespace: Namespace, dimensions: int, scope: RegisteredScope | None, sleep: Callable[[float], None]
) -> None:
    """Write the marker row, and return when searches see it and all earlier writes.

    Raises:
        VectorBackendUnavailable: The writes are not visible in time.
        VectorBackendRefused: The service does not report which writes a search sees.
    """
    summary = scope or _NOTHING
    metadata: JsonObject = {
        HIDDEN: True,
        _KIND: _KEY,
        "scope": summary.scope,
        "project_id": summary.project_id,
        "model_id": summary.model_id,
        "dimensions": summary.dimensions,
        "generations": list(summary.generations),
        "indexed_at": summary.indexed_at,
        "records": summary.records,
    }
    written = namespace.upsert([PineconeRow(_KEY, numbers(any_vector(dimensions)), metadata, 0)])
    if written is None:
        raise VectorBackendRefused(
            "this Pinecone index does not report when writes are visible; set `vector.pinecone.index` to a "
            "serverless index"
        )

    def is_seen() -> bool:
        position = namespace.search(any_vector(dimensions), top_k=1, where={}, vectors=False).log_position
        return position is not None and position >= written

    _wait(is_seen, sleep, "writes to Pinecone are not visible")


def clear(namespace: Namespace, dimensions: int, sleep: Callable[[float], None]) -> None:
    """Delete all rows, including the marker row, and return when a search sees none."""

    def is_empty() -> bool:
        return not namespace.search(any_vector(dimensions), top_k=1, where={}, vectors=False).rows

    namespace.clear()
    _wait(is_empty, sleep, "deleted rows are still visible in Pinecone")


def _wait(is_done: Callable[[], bool], sleep: Callable[[float], None], what: str) -> None:
    for wait_s in chain([0.0], _VISIBILITY_WAITS_S):
        if wait_s:
            sleep(wait_s)
        if is_done():
            return
    raise VectorBackendUnavailable(
        f"{what} after {sum(_VISIBILITY_WAITS_S):.0f} s; the previous generation stays live, and the next run cleans up"
    )


def _registered(metadata: JsonObject) -> RegisteredScope:
    return RegisteredScope(
        scope=str(metadata.get("scope", "")),
        project_id=str(metadata.get("project_id", "")),
        model_id=str(metadata.get("model_id", "")),
        dimensions=int(metadata.get("dimensions", 0)),
        generations=tuple(map(str, metadata.get("generations", ()))),
        indexed_at=str(metadata.get("indexed_at", "")),
        records=int(metadata.get("records", 0)),
    )
