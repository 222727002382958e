"""Vectors in the folder of their generation, as one matrix."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from searchsocket.stores.base import VectorSnapshot
from searchsocket.stores.local.layout import VECTORS, FileEntry, NamingDamage
from searchsocket.stores.local.numbering import Numbering, Rows
from searchsocket.stores.local.vectors.matrix import forget_pages
from searchsocket.stores.local.vectors.matrix_file import MatrixFile, write_file
from searchsocket.stores.local.vectors.part import BATCH, Rest
from searchsocket.stores.local.vectors.snapshot import MatrixVectors
from searchsocket.types import Generation, Record, Scope, Vector, Vectors


class MatrixPart:
    """Implements `VectorPart`."""

    files = frozenset({VECTORS})
    upkeep = None

    def open(self, rest: Rest, *, max_read_bytes: int) -> MatrixVectors:
        """See `VectorPart.open`."""
        path, generation = rest.folder / VECTORS, rest.manifest.generation
        file, damage = MatrixFile(path, generation.records, generation.dimensions), NamingDamage(path)
        is_read = file.bytes <= max_read_bytes
        with damage:
            matrix = file.read() if is_read else file.map()
        read_bytes = matrix.nbytes if is_read else 0
        return MatrixVectors(matrix, file, rest.numbering, rest.hidden, rest.selector, damage, read_bytes)

    def are_same(self, live: VectorSnapshot, ids: Sequence[str], vectors: Vectors) -> NDArray[np.bool_]:
        """See `VectorPart.are_same`."""
        same: NDArray[np.bool_] = (live.vectors_of(ids) == vectors).all(axis=1)
        forget_pages(_own(live).matrix)
        return same

    def blocks(self, live: VectorSnapshot, numbering: Numbering) -> Iterator[Vectors]:
        """See `VectorPart.blocks`."""
        matrix = _own(live).matrix
        for start in range(0, len(matrix), BATCH):
            yield matrix[start : start + BATCH]
            forget_pages(matrix)

    def write(
        self, target: Path, sources: Rows, live: VectorSnapshot | None, staged: Vectors, number: int
    ) -> Mapping[str, FileEntry]:
        """See `VectorPart.write`."""
        if live is None:
            return write_file(target, sources, staged[:0], None, staged)
        return write_file(target, sources, _own(live).matrix, _own(live).file.sums(), staged)

    def stage(self, generation: Generation, upserts: Iterable[tuple[Record, Vector]], gone: Iterable[str]) -> None:
        """See `VectorPart.stage`: all is in the folder."""

    def retain(self, scope: Scope, generations: Collection[Generation]) -> None:
        """See `VectorPart.retain`: they go with their folders."""


def _own(vectors: VectorSnapshot) -> MatrixVectors:
    if not isinstance(vectors, MatrixVectors):
        raise TypeError(f"{type(vectors).__name__} was opened by another part")
    return vectors
