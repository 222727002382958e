"""Vectors in the packs of their generation, gathered into one matrix in path order when it is opened."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryFile

import numpy as np
from numpy.typing import NDArray

from searchsocket.stores.base import VectorSnapshot
from searchsocket.stores.local.layout import (
    MANIFEST,
    NEW_PACK,
    PACKS,
    FileEntry,
    Manifest,
    NamingDamage,
    corrupt,
    vectors_file,
)
from searchsocket.stores.local.numbering import Numbering, Rows
from searchsocket.stores.local.vectors.matrix import (
    MatrixVectors,
    forget_pages,
    map_matrix,
    map_open,
    read_matrix,
    write_matrix,
)
from searchsocket.stores.local.vectors.part import BATCH, HashedFile, Rest
from searchsocket.types import EXACT, Generation, Record, Scope, Vector, Vectors


class MatrixPart:
    """Implements `VectorPart`."""

    files: frozenset[str] = frozenset()  # besides those of the packs
    upkeep = None

    def open(self, rest: Rest, *, max_read_bytes: int) -> MatrixVectors:
        """See `VectorPart.open`."""
        generation = rest.manifest.generation
        is_read = generation.records * generation.dimensions * 4 <= max_read_bytes
        damage = NamingDamage(rest.folder / PACKS)
        with damage:
            matrix = _matrix(rest.folder, rest.manifest, rest.numbering.names.places, is_read=is_read)
        read_bytes = matrix.nbytes if is_read else 0
        return MatrixVectors(matrix, rest.numbering, rest.hidden, rest.selector, damage, read_bytes)

    def index_of(self, generation: Generation) -> str:
        """See `VectorPart.index_of`."""
        return EXACT

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
        self,
        target: Path,
        sources: Rows,
        is_new: NDArray[np.bool_],
        live: VectorSnapshot | None,
        staged: Vectors,
        number: int,
    ) -> Mapping[str, FileEntry]:
        """See `VectorPart.write`."""
        if not is_new.any():
            return {}
        name = vectors_file(NEW_PACK)
        with HashedFile(target / name) as file:
            write_matrix(file, sources[is_new], staged[:0] if live is None else _own(live).matrix, staged)
            return {name: file.entry}

    def stage(self, generation: Generation, upserts: Iterable[tuple[Record, Vector]], gone: Iterable[str]) -> None:
        """See `VectorPart.stage`: does nothing, because `write` has stored all vectors in the folder."""

    def retain(self, scope: Scope, generations: Collection[Generation]) -> None:
        """See `VectorPart.retain`: does nothing, because vectors are deleted with their folders."""


def _matrix(folder: Path, manifest: Manifest, places: NDArray[np.uint32], *, is_read: bool) -> Vectors:
    """The vectors by row, in memory, or mapped and read page by page as they are used."""
    rows, dimensions = len(places), manifest.generation.dimensions
    paths = [(folder / vectors_file(pack.name), pack.records) for pack in manifest.packs]
    if missing := [path for path, _ in paths if str(path.relative_to(folder)) not in manifest.files]:
        raise corrupt(folder / MANIFEST, f"does not list {missing[0].relative_to(folder)}")
    if len(paths) == 1 and paths[0][1] == rows and np.array_equal(places[:, 1], np.arange(rows)):
        return (read_matrix if is_read else map_matrix)(paths[0][0], rows, dimensions)
    packs = [map_matrix(path, count, dimensions) for path, count in paths]
    if is_read:
        matrix = np.empty((rows, dimensions), np.float32)
        for start, block in _blocks(packs, places, dimensions):
            matrix[start : start + len(block)] = block
        matrix.flags.writeable = False
        return matrix
    if not rows:
        return np.empty((0, dimensions), np.float32)
    with TemporaryFile() as file:
        for _, block in _blocks(packs, places, dimensions):
            file.write(block.data)
        file.flush()
        return map_open(file, rows, dimensions)


def _blocks(packs: Sequence[Vectors], places: NDArray[np.uint32], dimensions: int) -> Iterator[tuple[int, Vectors]]:
    """The first row and the vectors of each `BATCH` rows."""
    for start in range(0, len(places), BATCH):
        numbers, slots = places[start : start + BATCH].T
        block = np.empty((len(slots), dimensions), np.float32)
        for number in np.unique(numbers).tolist():
            is_there = numbers == number
            block[is_there] = packs[number][slots[is_there]]
            forget_pages(packs[number])
        yield start, block


def _own(vectors: VectorSnapshot) -> MatrixVectors:
    if not isinstance(vectors, MatrixVectors):
        raise TypeError(f"{type(vectors).__name__} was opened by another part")
    return vectors
