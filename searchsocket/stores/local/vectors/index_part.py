"""Vectors in a remote index, any `VectorIndex`."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from searchsocket.errors import RecordsMissing, VectorsMissing
from searchsocket.stores.base.vectors import NOT_KEPT, VectorIndex, VectorLimits, VectorSnapshot, VectorUpkeep, row_of
from searchsocket.stores.local.layout import BORN, FileEntry, NamingDamage
from searchsocket.stores.local.numbering import Numbering, Origins, Rows
from searchsocket.stores.local.vectors.part import BATCH, HashedFile, Rest
from searchsocket.stores.local.vectors.selecting import Selector
from searchsocket.types import MATCH_ALL, Filter, Generation, Hit, Record, Scope, Vector, Vectors

T = TypeVar("T")
Born = NDArray[np.int64]


class IndexPart:
    """Implements `VectorPart`."""

    files = frozenset({BORN})

    def __init__(self, index: VectorIndex) -> None:
        self._index = index
        self.upkeep = index if isinstance(index, VectorUpkeep) else None

    def open(self, rest: Rest, *, max_read_bytes: int) -> VectorSnapshot:
        """Open the vectors of a generation."""
        path, generation = rest.folder / BORN, rest.manifest.generation
        with NamingDamage(path):
            born = np.fromfile(path, np.int64).reshape(generation.records)
        return IndexVectors(self._index, generation, rest.numbering, rest.selector, born)

    def index_of(self, generation: Generation) -> str:
        """Return the name of the vector index that this generation will have."""
        return self._index.open(generation).limits.index

    def are_same(self, live: VectorSnapshot, ids: Sequence[str], vectors: Vectors) -> NDArray[np.bool_]:
        """Compare records of the live generation with `vectors`; for each, True if the vector is equal."""
        try:
            stored = live.vectors_of(ids)
        except VectorsMissing as error:  # missing vectors are written again
            is_stored = np.array([id_ not in error.ids for id_ in ids])
            stored = np.full_like(vectors, np.inf)
            stored[is_stored] = live.vectors_of([id_ for id_ in ids if id_ not in error.ids])
        same: NDArray[np.bool_] = (np.abs(stored - vectors) <= live.limits.tolerance).all(axis=1)
        return same

    def blocks(self, live: VectorSnapshot, numbering: Numbering, rows: Rows) -> Iterator[Vectors]:
        """Yield the vectors of rows, `BATCH` at a time."""
        for start in range(0, len(rows), BATCH):
            yield live.vectors_of(numbering.ids_of(rows[start : start + BATCH]))

    def write(
        self,
        target: Path,
        sources: Origins,
        is_new: NDArray[np.bool_],
        live: VectorSnapshot | None,
        staged: Vectors,
        number: int,
    ) -> Mapping[str, FileEntry]:
        """Write, for each remote vector, the generation that sent it; return the entry of that file."""
        born = np.full(len(sources), number, np.int64)
        if isinstance(live, IndexVectors):
            born[~sources.is_staged] = live.born[sources.live]
        with HashedFile(target / BORN) as file:
            file.write(memoryview(born.tobytes()))
            return {BORN: file.entry}

    def stage(self, generation: Generation, upserts: Iterable[tuple[Record, Vector]], gone: Iterable[str]) -> None:
        """Stage the difference between a new generation and the live one in the remote index."""
        self._index.stage(generation, (row_of(record, vector) for record, vector in upserts), gone)
        self._index.seal(generation)

    def retain(self, scope: Scope, generations: Collection[Generation]) -> None:
        """Delete the remote rows that none of these generations contains."""
        self._index.retain(scope, generations)


class IndexVectors:
    """Implements `VectorSnapshot`.

    A server may return an expired or deleted row for a moment, and another program may have written rows. The
    generation lists its records and the generation that wrote each. So other rows are left out, and missing rows raise
    an error.
    """

    def __init__(
        self, index: VectorIndex, generation: Generation, numbering: Numbering, selector: Selector, born: Born
    ) -> None:
        """Open the remote index without a query.

        Args:
            born: For each row the number of the generation that wrote it to the remote index.
        """
        self.born = born
        self._since = np.append(born, np.int64(NOT_KEPT))  # the last value is for ids without a record
        self._snapshot = index.open(generation, self.written)
        self._generation = generation
        self._numbering = numbering
        self._selector = selector

    @property
    def limits(self) -> VectorLimits:
        return self._snapshot.limits

    def nearest(self, vector: Vector, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """Return at most `top_k` records that match `where`, by falling cosine; equal scores by rising id.

        Raises:
            VectorsMissing: The index lacks records that match.
        """
        hits = self._snapshot.nearest(vector, top_k=top_k, where=where)
        promised = top_k if self.limits.max_top_k is None else min(top_k, self.limits.max_top_k)
        if len(hits) < promised and len(hits) < self._selector.count(where):
            raise VectorsMissing(self._generation.scope, self._generation.name)
        return hits

    def similarities(self, vector: Vector, ids: Sequence[str]) -> list[float]:
        """Return the cosine of each record, in the order of `ids`; raises the same errors as `vectors_of`."""
        return self._named(ids, lambda: self._snapshot.similarities(vector, ids))

    def vectors_of(self, ids: Sequence[str]) -> Vectors:
        """Return a copy of the vector of each record, in the order of `ids`.

        Raises:
            VectorsMissing: The index lacks some of these records.
        """
        return self._named(ids, lambda: self._snapshot.vectors_of(ids))

    def written(self, ids: Sequence[str]) -> Sequence[int]:
        """Return the generation that last wrote each record."""
        since: list[int] = self._since[self._numbering.rows_or_none(ids)].tolist()
        return since

    def _named(self, ids: Sequence[str], ask: Callable[[], T]) -> T:
        self._numbering.rows_of(ids)
        try:
            return ask()
        except RecordsMissing as error:
            raise VectorsMissing(self._generation.scope, self._generation.name, error.ids) from error
