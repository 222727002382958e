"""Vectors: the part of a store that another machine may hold.

Generations are numbered by their names, which rise. A remote engine keeps of each row the first generation that has
it and the first that has not (`born`, `died`) and a query of generation G asks for `born <= G < died`: one edit writes
a few rows, and rollback none. `tests/memory_store/vectors.py` is that, in a page of code.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from searchsocket.stores.base.labels import labels_of
from searchsocket.text.storable import storable
from searchsocket.types import MATCH_ALL, Filter, Generation, Hit, Record, Scope, Vector, Vectors
from searchsocket.web.urls.paths import ancestors, normalise_prefix


@dataclass(frozen=True, slots=True)
class VectorRow:
    """Fields stored next to a vector for filters, small enough for any engine's metadata."""

    id: str
    vector: Vector
    ancestors: tuple[str, ...]  # of its URL, from the root to the URL itself: a path prefix is one of these
    tags: tuple[str, ...]
    labels: tuple[str, ...]  # everything else that a filter may name, see `labels.py`
    is_hidden: bool  # kept, but never found: its page weighs nothing


def row_of(record: Record, vector: Vector) -> VectorRow:
    """Return the row of a record in a vector index."""
    page = record.page
    return VectorRow(
        id=record.id,
        vector=vector,
        ancestors=ancestors(page.url),
        tags=page.tags,
        labels=labels_of(record.chunk.kind, page.language, page.facets),
        is_hidden=page.weight <= 0,
    )


def canonical(where: Filter) -> Filter:
    """A filter in the one spelling by which indexes know what it names."""
    if not where.path_prefix:
        return where
    return replace(where, path_prefix=normalise_prefix(storable(where.path_prefix)))


@dataclass(frozen=True, slots=True)
class VectorLimits:
    """Capabilities and limits of a vector index."""

    is_remote: bool = False  # a query waits for another machine
    max_top_k: int | None = None  # of `nearest`
    tolerance: float = 0.0  # how far a number that is read back may be from what was written


# Of each of these records the number of the generation that wrote its row last, `NOT_KEPT` where there is to be none.
Written = Callable[[Sequence[str]], Sequence[int]]
NOT_KEPT = 2**63 - 1


def whenever(ids: Sequence[str]) -> Sequence[int]:
    """Whatever an index shows of these records counts."""
    return [0] * len(ids)


class VectorSnapshot(Protocol):
    """The vectors of one generation, as a query sees them; safe to share between threads."""

    @property
    def limits(self) -> VectorLimits: ...

    def nearest(self, vector: Vector, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """At most `top_k` records that match `where`, by falling cosine; equal scores by rising id.

        Args:
            vector: Shape (dim,), float32, unit length.

        Raises:
            BadVectors: The vector is none to search with.
            VectorBackendUnavailable: The backend could not be reached; safe to retry.
        """

    def similarities(self, vector: Vector, ids: Sequence[str]) -> list[float]:
        """Cosine of each named record, in the order of `ids`: the scores that `nearest` gives.

        Raises:
            InvalidRequest: There is no such record.
        """

    def vectors_of(self, ids: Sequence[str]) -> Vectors:
        """A copy of the vector of each named record, shape (len(ids), dim), in the order of `ids`.

        Raises:
            RecordsMissing: There are no such records; it names all of them.
        """


class VectorIndex(Protocol):
    """Keeps the vectors of generations of one project; which one is live is not its business."""

    def stage(self, generation: Generation, rows: Iterable[VectorRow], gone: Iterable[str]) -> None:
        """Write how a generation differs from the newest one before it; seen by no reader of another generation.

        Args:
            generation: Its name sorts behind those of all generations of the scope that are kept.
            rows: New ones, and new versions of ones that are there.
            gone: Ids that the generation no longer has.
        """

    def seal(self, generation: Generation) -> None:
        """Return when all that was staged is kept for good and seen by whoever opens the generation.

        Raises:
            VectorBackendUnavailable: It could not be seen in time.
        """

    def open(self, generation: Generation, written: Written = ...) -> VectorSnapshot:
        """The vectors of a sealed generation.

        Args:
            written: A row from before its record was written last is none of the generation, though it may be shown
                for a moment after its end; nor is one of a record that it has not. By default all rows are.
        """

    def retain(self, scope: Scope, generations: Collection[Generation]) -> None:
        """Forget what none of these generations sees, also what a run that died had staged for one that never was.

        To be called before `stage`, with the live generation as the newest, so that nothing of one that was rolled back
        is in the next one.
        """
