"""The rows of one project and scope in an index of either kind, in the verbs that generations are written with."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar
from urllib.parse import quote

from searchsocket.stores.base.row_hits import RowHit
from searchsocket.stores.pinecone.filters import BORN, RECORD, Where
from searchsocket.stores.pinecone.rows import PineconeRow
from searchsocket.system.json_text import JsonObject
from searchsocket.types import Vector

T = TypeVar("T")
_MAX_PROJECT_CHARS = 300  # of 512; a scope has 200


@dataclass(frozen=True, slots=True)
class Match:
    """A row that a search found."""

    key: str
    score: float  # as the service computed it
    metadata: JsonObject
    vector: Sequence[float] | None

    @property
    def record_id(self) -> str:
        return str(self.metadata.get(RECORD, ""))

    @property
    def row_hit(self) -> RowHit:
        return RowHit(self.record_id, int(self.metadata.get(BORN, 0)), self.score, self.vector or None)


@dataclass(frozen=True, slots=True)
class Matches:
    """The rows that match a search, best first."""

    rows: list[Match]
    log_position: int | None  # all writes up to here were visible to the search; None: the service did not report it


class Namespace(Protocol):
    """Implemented by `DocumentNamespace` and `LegacyNamespace`; each method is one request.

    It has no fetch, because a fetch sees a write at another time than a search, and does not report when.

    Raises:
        VectorBackendUnavailable: The service cannot be reached, or refuses.
    """

    def upsert(self, rows: Sequence[PineconeRow]) -> int | None:
        """Write rows whole.

        Returns:
            The position of this write in the log; None: the service did not report it.
        """

    def update(self, where: Where, values: Mapping[str, object]) -> int | None:
        """Set fields of all visible rows that match, and return their number; None if unknown."""

    def delete(self, where: Where) -> None:
        """Delete all visible rows that match."""

    def clear(self) -> None:
        """Delete all rows."""

    def search(self, vector: Vector, *, top_k: int, where: Where, vectors: bool) -> Matches:
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
