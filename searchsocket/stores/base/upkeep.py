"""Maintenance of a vector index on another machine: its scopes, numbers of rows, and problems.

No query needs this. A scope whose rows are damaged or missing is staged again as a whole (`VectorStore.resync`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from searchsocket.stores.base.vectors import VectorIndex
from searchsocket.types import Generation, Record, Vectors


@dataclass(frozen=True, slots=True)
class RegisteredScope:
    """Summary of one scope, stored on the other machine (spec 18)."""

    scope: str
    project_id: str
    model_id: str
    dimensions: int
    generations: tuple[str, ...]  # those with rows, in rising order
    indexed_at: str  # when the newest of them was published; ISO 8601, UTC
    records: int  # of the newest

    @staticmethod
    def of(generations: Sequence[Generation]) -> "RegisteredScope":
        """The summary of at least one generation, all of one scope."""
        newest = max(generations, key=lambda generation: generation.name)
        return RegisteredScope(
            scope=newest.scope,
            project_id=newest.project_id,
            model_id=newest.model_id,
            dimensions=newest.dimensions,
            generations=tuple(sorted({generation.name for generation in generations})),
            indexed_at=newest.published_at,
            records=newest.records,
        )

    def joined(self, other: "RegisteredScope") -> "RegisteredScope":
        """Both summaries of one scope as one, with the fields of the newer one."""
        newest = max(self, other, key=lambda each: each.generations[-1])
        return replace(newest, generations=tuple(sorted({*self.generations, *other.generations})))


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem of a vector index on another machine, and its fix."""

    problem: str
    fix: str


class RecordVectors(Protocol):
    """Vectors of records of one generation without a call to a provider: from a cache, or a model on this machine.

    Both methods take at least one record.
    """

    def missing(self, records: Sequence[Record]) -> int:
        """The number of these records that have no vector."""

    def get(self, records: Sequence[Record]) -> Vectors:
        """The vector of each record, in their order.

        Raises:
            StateUnavailable: A vector is missing.
        """


@dataclass(frozen=True, slots=True)
class ResyncReport:
    """Result of `VectorStore.resync`."""

    rows: int = 0  # written
    missing_vectors: int = 0  # records without a vector; if there are any, nothing was changed


@runtime_checkable
class VectorUpkeep(Protocol):
    """Additional methods of a `VectorIndex` on another machine, for maintenance.

    An index belongs to one project. All methods except `examine`, and all writes, raise:
        ProjectMismatch: The index belongs to another project; nothing was changed.
        VectorBackendUnavailable: The other machine cannot be reached.
    """

    def registered(self) -> list[RegisteredScope]:
        """Every scope that has rows, by name; empty if nothing was ever written."""

    def count(self, generation: Generation) -> int:
        """The number of rows of a generation; 0 if its collection is gone."""

    def examine(self) -> list[Finding]:
        """Problems other than missing rows: a collection that is gone, has another schema or another owner.

        Raises:
            VectorBackendUnavailable: The other machine cannot be reached.
        """

    def drop(self) -> list[str]:
        """Delete everything of this project and release its name; returns the deleted parts."""


class RemoteIndex(VectorIndex, VectorUpkeep, Protocol):
    """A vector index on another machine, with its maintenance."""
