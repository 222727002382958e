"""Vectors in a remote index, any `VectorIndex`."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from searchsocket.errors import VectorsMissing
from searchsocket.stores.base import VectorIndex, VectorSnapshot
from searchsocket.stores.base.upkeep import VectorUpkeep
from searchsocket.stores.base.vectors import row_of
from searchsocket.stores.local.hashed_file import HashedFile
from searchsocket.stores.local.layout import BORN, FileEntry, NamingDamage
from searchsocket.stores.local.numbering import Numbering, Rows
from searchsocket.stores.local.vectors.index_snapshot import IndexVectors
from searchsocket.stores.local.vectors.part import BATCH, Rest
from searchsocket.types import Generation, Record, Scope, Vector, Vectors


class IndexPart:
    """Implements `VectorPart`."""

    files = frozenset({BORN})

    def __init__(self, index: VectorIndex) -> None:
        self._index = index
        self.upkeep = index if isinstance(index, VectorUpkeep) else None

    def open(self, rest: Rest, *, max_read_bytes: int) -> VectorSnapshot:
        """See `VectorPart.open`."""
        path, generation = rest.folder / BORN, rest.manifest.generation
        with NamingDamage(path):
            born = np.fromfile(path, np.int64).reshape(generation.records)
        return IndexVectors(self._index, generation, rest.numbering, rest.selector, born)

    def index_of(self, generation: Generation) -> str:
        """See `VectorPart.index_of`."""
        return self._index.open(generation).limits.index

    def are_same(self, live: VectorSnapshot, ids: Sequence[str], vectors: Vectors) -> NDArray[np.bool_]:
        """See `VectorPart.are_same`."""
        try:
            stored = live.vectors_of(ids)
        except VectorsMissing as error:  # missing vectors are written again
            is_stored = np.array([id_ not in error.ids for id_ in ids])
            stored = np.full_like(vectors, np.inf)
            stored[is_stored] = live.vectors_of([id_ for id_ in ids if id_ not in error.ids])
        same: NDArray[np.bool_] = (np.abs(stored - vectors) <= live.limits.tolerance).all(axis=1)
        return same

    def blocks(self, live: VectorSnapshot, numbering: Numbering) -> Iterator[Vectors]:
        """See `VectorPart.blocks`."""
        for start in range(0, len(numbering), BATCH):
            yield live.vectors_of(numbering.ids_of(np.arange(start, min(start + BATCH, len(numbering)))))

    def write(
        self,
        target: Path,
        sources: Rows,
        is_new: NDArray[np.bool_],
        live: VectorSnapshot | None,
        staged: Vectors,
        number: int,
    ) -> Mapping[str, FileEntry]:
        """See `VectorPart.write`: of remote vectors, only the generation that sent each is written here."""
        born = np.full(len(sources), number, np.int64)
        if isinstance(live, IndexVectors):
            is_old = sources >= 0
            born[is_old] = live.born[sources[is_old]]
        with HashedFile(target / BORN) as file:
            file.write(memoryview(born.tobytes()))
            return {BORN: file.entry}

    def stage(self, generation: Generation, upserts: Iterable[tuple[Record, Vector]], gone: Iterable[str]) -> None:
        """See `VectorPart.stage`."""
        self._index.stage(generation, (row_of(record, vector) for record, vector in upserts), gone)
        self._index.seal(generation)

    def retain(self, scope: Scope, generations: Collection[Generation]) -> None:
        """See `VectorPart.retain`."""
        self._index.retain(scope, generations)
