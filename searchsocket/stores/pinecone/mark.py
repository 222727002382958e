"""The one row of a namespace that is no record: written after all else, it says what is kept, and when all is seen."""

from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any

import numpy as np

from searchsocket.errors import VectorBackendRefused, VectorBackendUnavailable
from searchsocket.stores.base.upkeep import RegisteredScope
from searchsocket.stores.pinecone.filters import HIDDEN
from searchsocket.stores.pinecone.namespace import Namespace
from searchsocket.stores.pinecone.rows import Row, numbers
from searchsocket.types import Vector

_KEY, _KIND = "mark", "kind"
_SEEN_WAITS_S = (0.1, 0.2, 0.5, *[1.0] * 120)  # until searches see what was written
_MARK = {_KIND: {"$eq": _KEY}}
_NOTHING = RegisteredScope("", "", "", 0, (), "", 0)


def any_vector(dimensions: int) -> Vector:
    """Where it does not matter what is nearest."""
    vector: Vector = np.eye(1, dimensions, dtype=np.float32)[0]
    return vector


def registered_in(namespace: Namespace, dimensions: int) -> RegisteredScope | None:
    """What a namespace says of itself; None: nothing."""
    found = namespace.search(any_vector(dimensions), top_k=1, where=_MARK, vectors=True).matches
    kept = _registered(found[0].metadata) if found else None
    return kept if kept and kept.generations else None


def write_mark(
    namespace: Namespace, dimensions: int, kept: RegisteredScope | None, sleep: Callable[[float], None]
) -> None:
    """Say what a namespace keeps, and return when a search of it sees all that was written before.

    Raises:
        VectorBackendUnavailable: It does not in time.
        VectorBackendRefused: The service does not say what it sees.
    """
    said = kept or _NOTHING
    metadata: dict[str, Any] = {
        HIDDEN: True,
        _KIND: _KEY,
        "scope": said.scope,
        "project_id": said.project_id,
        "model_id": said.model_id,
        "dimensions": said.dimensions,
        "generations": list(said.generations),
        "indexed_at": said.indexed_at,
        "records": said.records,
    }
    written = namespace.upsert([Row(_KEY, numbers(any_vector(dimensions)), metadata, 0)])
    if written is None:
        raise VectorBackendRefused(
            "this Pinecone index does not report when writes are visible; set `vector.pinecone.index` to a "
            "serverless index"
        )

    def is_seen() -> bool:
        seen = namespace.search(any_vector(dimensions), top_k=1, where={}, vectors=False).seen
        return seen is not None and seen >= written

    _wait(is_seen, sleep, "writes to Pinecone are not visible")


def clear(namespace: Namespace, dimensions: int, sleep: Callable[[float], None]) -> None:
    """Delete all rows, the mark too, and return when a search sees none."""

    def is_empty() -> bool:
        return not namespace.search(any_vector(dimensions), top_k=1, where={}, vectors=False).matches

    namespace.clear()
    _wait(is_empty, sleep, "deleted rows are still visible in Pinecone")


def _wait(is_done: Callable[[], bool], sleep: Callable[[float], None], what: str) -> None:
    for wait_s in chain([0.0], _SEEN_WAITS_S):
        if wait_s:
            sleep(wait_s)
        if is_done():
            return
    raise VectorBackendUnavailable(
        f"{what} after {sum(_SEEN_WAITS_S):.0f} s; the previous generation stays live, and the next run cleans up"
    )


def _registered(metadata: Mapping[str, Any]) -> RegisteredScope:
    return RegisteredScope(
        scope=str(metadata.get("scope", "")),
        project_id=str(metadata.get("project_id", "")),
        model_id=str(metadata.get("model_id", "")),
        dimensions=int(metadata.get("dimensions", 0)),
        generations=tuple(map(str, metadata.get("generations", ()))),
        indexed_at=str(metadata.get("indexed_at", "")),
        records=int(metadata.get("records", 0)),
    )
