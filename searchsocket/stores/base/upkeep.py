"""Looking after an index on another machine: what it keeps for whom, what is wrong with it, and mending that."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from searchsocket.stores.base.vectors import VectorRow
from searchsocket.types import Generation


@dataclass(frozen=True, slots=True)
class Registered:
    """What an index elsewhere says of one scope (spec 18)."""

    scope: str
    project_id: str
    model_id: str
    dimensions: int
    generations: tuple[str, ...]  # of which rows are kept, rising
    indexed_at: str  # when the newest of them was published; ISO 8601, UTC
    records: int  # of the newest

    @staticmethod
    def of(generations: Sequence[Generation]) -> "Registered":
        """What is said of generations of one scope, of which there is one at least."""
        newest = max(generations, key=lambda generation: generation.name)
        return Registered(
            scope=newest.scope,
            project_id=newest.project_id,
            model_id=newest.model_id,
            dimensions=newest.dimensions,
            generations=tuple(sorted({generation.name for generation in generations})),
            indexed_at=newest.published_at,
            records=newest.records,
        )


@dataclass(frozen=True, slots=True)
class HeldRow:
    """A row that is kept elsewhere."""

    id: str
    digest: bytes  # of what it says, see `VectorUpkeep.digest`
    born: int  # the number of the generation that wrote it, as it says itself


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong with an index elsewhere, and what mends it."""

    what: str
    fix: str


@runtime_checkable
class VectorUpkeep(Protocol):
    """What a `VectorIndex` on another machine offers beside: looking after what it keeps.

    An index belongs to one project. All of these but `examine`, and all that writes, raise:
        ProjectMismatch: What is there is another project's; nothing of it is touched.
        VectorBackendUnavailable: It cannot be reached.
    """

    def registered(self) -> list[Registered]:
        """Every scope of which rows are kept, by name; empty where nothing was ever written."""

    def count(self, generation: Generation) -> int:
        """How many rows a generation sees; 0 where what would hold them is gone."""

    def held(self, generation: Generation) -> Iterator[HeldRow]:
        """Every row that a generation sees, in no order; streams."""

    def digest(self, row: VectorRow) -> bytes:
        """What `held` says of this row once it is kept."""

    def mend(self, generation: Generation) -> list[str]:
        """Make again what would hold the rows of a generation, where that is gone or of another shape; what was wrong.

        Raises:
            VectorBackendRefused: Something of somebody else is in its place.
        """

    def restore(self, generation: Generation, rows: Iterable[VectorRow], until: Generation | None) -> None:
        """Write rows that a sealed generation lacks, seen by it and up to `until`; None: by all that follow.

        Returns when they are seen.
        """

    def erase(self, generation: Generation, ids: Iterable[str]) -> None:
        """Delete the rows of these ids that a generation sees, and wherever else these are seen.

        Returns when they are not.
        """

    def examine(self) -> list[Finding]:
        """What is wrong, besides rows that are missing: what holds them is gone, of another shape, or somebody else's.

        Raises:
            VectorBackendUnavailable: It cannot be reached.
        """

    def drop(self) -> list[str]:
        """Delete all that is kept of this project, and the claim on the place; what went."""
