"""Vectors in the packs of their generation, gathered into one matrix in path order for queries."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from searchsocket.stores.base.vectors import VectorSnapshot
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
from searchsocket.stores.local.numbering import Numbering, Origins, Rows
from searchsocket.stores.local.vectors.matrix import (
    MatrixVectors,
    in_memory,
    in_order,
    map_matrix,
    write_matrix,
)
from searchsocket.stores.local.vectors.part import BATCH, HashedFile, Rest
from searchsocket.types import EXACT, Generation, Record, Scope, Vector, Vectors


class MatrixPart:
    """Implements `VectorPart`."""

    files: frozenset[str] = frozenset()  # besides those of the packs
    upkeep = None

    def open(self, rest: Rest, *, max_read_bytes: int) -> MatrixVectors:
        """Open the vectors of a generation."""
        dimensions, places = rest.manifest.generation.dimensions, rest.numbering.names.places
        is_read = len(places) * dimensions * 4 <= max_read_bytes
        damage = NamingDamage(rest.folder / PACKS)
        with damage:
            packs = _packs(rest.folder, rest.manifest)
            if is_read:
                packs, places = [in_memory(packs, places, dimensions)], in_order(len(places))
        return MatrixVectors(
            packs, places, dimensions, rest.numbering, rest.hidden, rest.selector, damage, is_read=is_read
        )

    def index_of(self, generation: Generation) -> str:
        """Return the name of the vector index that this generation will have."""
        return EXACT

    def are_same(self, live: VectorSnapshot, ids: Sequence[str], vectors: Vectors) -> NDArray[np.bool_]:
        """Compare records of the live generation with `vectors`; for each, True if the vector is equal."""
        own = _own(live)
        same: NDArray[np.bool_] = (own.read_once(own.numbering.rows_of(ids)) == vectors).all(axis=1)
        return same

    def blocks(self, live: VectorSnapshot, numbering: Numbering, rows: Rows) -> Iterator[Vectors]:
        """Yield the vectors of rows, `BATCH` at a time."""
        for start in range(0, len(rows), BATCH):
            yield _own(live).read_once(rows[start : start + BATCH])

    def write(
        self,
        target: Path,
        sources: Origins,
        is_new: NDArray[np.bool_],
        live: VectorSnapshot | None,
        staged: Vectors,
        number: int,
    ) -> Mapping[str, FileEntry]:
        """Write the vectors of the new pack, and return the entries of their files for the manifest."""
        if not is_new.any():
            return {}
        name = vectors_file(NEW_PACK)
        with HashedFile(target / name) as file:
            write_matrix(file, sources[is_new], lambda rows: _own(live).read_once(rows), staged)
            return {name: file.entry}

    def stage(self, generation: Generation, upserts: Iterable[tuple[Record, Vector]], gone: Iterable[str]) -> None:
        """Do nothing: `write` has stored all vectors in the folder."""

    def retain(self, scope: Scope, generations: Collection[Generation]) -> None:
        """Do nothing: vectors are deleted with their folders."""


def _packs(folder: Path, manifest: Manifest) -> Sequence[Vectors]:
    """The vectors of each pack, mapped."""
    paths = [(folder / vectors_file(pack.name), pack.records) for pack in manifest.packs]
    if missing := [path for path, _ in paths if str(path.relative_to(folder)) not in manifest.files]:
        raise corrupt(folder / MANIFEST, f"does not list {missing[0].relative_to(folder)}")
    return [map_matrix(path, records, manifest.generation.dimensions) for path, records in paths]


def _own(vectors: VectorSnapshot | None) -> MatrixVectors:
    if not isinstance(vectors, MatrixVectors):
        raise TypeError(f"{type(vectors).__name__} was opened by another part")
    return vectors
