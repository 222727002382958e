"""Interface to the vectors of generations: of an index, of one generation, and of an index on another machine."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from searchsocket.errors import BadVectors
from searchsocket.stores.base.labels import labels_of
from searchsocket.text.hidden import storable
from searchsocket.types import EXACT, MATCH_ALL, Filter, Generation, Hit, Record, Scope, Scores, Vector, Vectors
from searchsocket.web.urls.paths import ancestors, normalise_prefix

# For each record id: the number of the generation that last wrote its row; `NOT_KEPT` = the record has no row.
Written = Callable[[Sequence[str]], Sequence[int]]
NOT_KEPT = 2**63 - 1
_COSINE_DIGITS = 7  # scores that differ only in later digits count as equal on every machine, and ids decide
_BLOCK_ROWS = 4096
UNIT_TOLERANCE = 1e-3  # float32 and a provider's own rounding stay far below it


@dataclass(frozen=True, slots=True)
class VectorRow:
    """Fields stored next to a vector for filters, small enough for any engine's metadata."""

    id: str
    vector: Vector
    ancestors: tuple[str, ...]  # path prefixes of the URL, from the root to the URL itself
    tags: tuple[str, ...]
    labels: tuple[str, ...]  # all other values that filters may use, see `stores.base.labels`
    is_hidden: bool  # stored but never returned, because the page has weight 0


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
    """Return the filter in the spelling that indexes store."""
    if not where.path_prefix and not where.directories:
        return where
    directories = tuple(normalise_prefix(storable(directory)) for directory in where.directories)
    return replace(
        where,
        path_prefix=normalise_prefix(storable(where.path_prefix)),
        directories=directories if all(directories) else (),  # the root contains every page
    )


@dataclass(frozen=True, slots=True)
class VectorLimits:
    """Capabilities and limits of a vector index."""

    is_remote: bool = False  # queries call another machine
    max_top_k: int | None = None  # of `nearest`
    tolerance: float = 0.0  # largest difference between a number read and the number written
    index: str = EXACT  # kind and parameters by the settings, e.g. "hnsw m=16 ef_construction=200 ef=200"
    is_exact: bool = True  # False: the server may miss some of the nearest records, with any settings


def whenever(ids: Sequence[str]) -> Sequence[int]:
    """Accept every row that an index returns."""
    return [0] * len(ids)


class VectorSnapshot(Protocol):
    """The vectors of one generation, as a query sees them; safe to share between threads."""

    @property
    def limits(self) -> VectorLimits: ...

    def nearest(self, vector: Vector, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """Return at most `top_k` records that match `where`, by falling cosine; equal scores by rising id.

        Args:
            vector: Shape (dim,), float32, unit length.

        Raises:
            BadVectors: The vector has another shape, or is not of unit length.
            VectorBackendUnavailable: The backend could not be reached; safe to retry.
        """

    def similarities(self, vector: Vector, ids: Sequence[str]) -> list[float]:
        """Return the cosine of each record, in the order of `ids`: the scores of `nearest`.

        Raises:
            InvalidRequest: A record does not exist.
        """

    def vectors_of(self, ids: Sequence[str]) -> Vectors:
        """Return a copy of the vector of each record, shape (len(ids), dim), in the order of `ids`.

        Raises:
            RecordsMissing: Some records do not exist; the error names them.
        """


class VectorIndex(Protocol):
    """Stores the vectors of all generations of one project; it does not know which one is live."""

    def stage(self, generation: Generation, rows: Iterable[VectorRow], gone: Iterable[str]) -> None:
        """Write how a generation differs from the newest earlier one; readers of other generations do not see it.

        Args:
            generation: Its name sorts after all stored generations of the scope.
            rows: New rows, and new versions of existing ones.
            gone: Ids that the generation no longer has.
        """

    def seal(self, generation: Generation) -> None:
        """Return once everything staged is durable and visible to readers that open the generation.

        Raises:
            VectorBackendUnavailable: It did not become visible in time.
        """

    def open(self, generation: Generation, written: Written = ...) -> VectorSnapshot:
        """Open the vectors of a sealed generation.

        Args:
            written: Rows older than the last write of their record are ignored, since an engine may return them for a
                moment; so are rows of records that the generation lacks. By default all rows count.
        """

    def retain(self, scope: Scope, generations: Collection[Generation]) -> None:
        """Delete rows that none of these generations contains, including those staged by a run that died.

        Call it before `stage`, with the live generation as the newest, so that rows of a rolled-back generation do not
        reach the next one.
        """


class _ByRow(Protocol):
    def __getitem__(self, rows: NDArray[np.int64], /) -> Vectors: ...


def cosines(matrix: _ByRow, vector: Vector, rows: NDArray[np.int64]) -> Scores:
    """Cosines of rows of a matrix in double precision, rounded, within [-1, 1]."""
    wide = vector.astype(np.float64)
    scores = np.empty(len(rows), np.float64)
    for i in range(0, len(rows), _BLOCK_ROWS):
        scores[i : i + _BLOCK_ROWS] = np.vecdot(matrix[rows[i : i + _BLOCK_ROWS]].astype(np.float64), wide)
    # `np.clip` takes twice as long; the sum leaves no negative zero.
    return np.minimum(np.maximum(scores.round(_COSINE_DIGITS), -1.0), 1.0) + 0.0


def check_vectors(vectors: Vectors, count: int, dimensions: int | None = None) -> None:
    """Refuse vectors that must never be stored or searched with (spec 11).

    Raises:
        BadVectors: Not float32 of shape (count, dimensions), or a row is zero, not finite or not of unit length.
    """
    if vectors.dtype != np.float32 or vectors.ndim != 2 or len(vectors) != count or vectors.shape[1] == 0:
        raise BadVectors(f"expected {count} float32 vectors, got an array of {vectors.dtype} {vectors.shape}")
    if dimensions is not None and vectors.shape[1] != dimensions:
        raise BadVectors(f"expected vectors of {dimensions} dimensions, got {vectors.shape[1]}")
    with np.errstate(over="ignore", invalid="ignore"):
        norms = np.sqrt(np.vecdot(vectors, vectors))
    bad = np.flatnonzero(~(np.abs(norms - 1.0) <= UNIT_TOLERANCE))  # a NaN compares as False
    if bad.size:
        raise BadVectors(f"vector {bad[0]} of {count} has length {norms[bad[0]]}, not 1 (bad rows: {bad.size})")


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
