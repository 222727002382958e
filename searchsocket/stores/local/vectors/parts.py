"""The vectors of a generation: in its packs, or in a remote index. Records and words are always local."""

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from searchsocket.errors import RecordsMissing, VectorsMissing
from searchsocket.stores.base.vectors import NOT_KEPT, VectorIndex, VectorLimits, VectorSnapshot, VectorUpkeep, row_of
from searchsocket.stores.local.layout import (
    BORN,
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
    Selector,
    in_memory,
    in_order,
    map_matrix,
    write_matrix,
)
from searchsocket.types import EXACT, MATCH_ALL, Filter, Generation, Hit, Record, Scope, Vector, Vectors

BATCH = 4096  # vectors in memory at a time

T = TypeVar("T")
Born = NDArray[np.int64]


class Rest(NamedTuple):
    """The parts of a generation that are open before its vectors."""

    folder: Path
    manifest: Manifest
    numbering: Numbering
    hidden: Rows
    selector: Selector


class VectorPart(Protocol):
    """Interface of `MatrixPart` and `IndexPart`. It gets only snapshots that it has opened itself."""

    @property
    def files(self) -> frozenset[str]:
        """The names of a generation's files, besides its packs, that describe its vectors."""

    def open(self, rest: Rest, *, max_read_bytes: int) -> VectorSnapshot:
        """The vectors of a generation, see `LocalReader`."""

    def index_of(self, generation: Generation) -> str:
        """The `VectorLimits.index` of a generation that is not yet written."""

    def are_same(self, live: VectorSnapshot, ids: Sequence[str], vectors: Vectors) -> NDArray[np.bool_]:
        """Compare the vectors of records of the live generation with `vectors`, at most `BATCH`; True if equal."""

    @property
    def upkeep(self) -> VectorUpkeep | None:
        """The maintenance interface of remote vectors."""

    def blocks(self, live: VectorSnapshot, numbering: Numbering, rows: Rows) -> Iterator[Vectors]:
        """Yield the vectors of rows, `BATCH` at a time."""

    def write(
        self,
        target: Path,
        sources: Origins,
        is_new: NDArray[np.bool_],
        live: VectorSnapshot | None,
        staged: Vectors,
        number: int,
    ) -> Mapping[str, FileEntry]:
        """Write the vectors of the new pack, and `files`; return their entries for the manifest.

        Args:
            sources: The origin of the vector of each row; staged ones by their slot.
            is_new: For each row, True if its record is in the new pack, whose vectors are in the order of rows.
            number: Of the new generation, see `generation_number`.
        """

    def stage(self, generation: Generation, upserts: Iterable[tuple[Record, Vector]], gone: Iterable[str]) -> None:
        """Stage the difference between a new generation and the live one in the remote index."""

    def retain(self, scope: Scope, generations: Collection[Generation]) -> None:
        """Delete the rows that none of these generations contains."""


class HashedFile:
    """A new file that computes its size and hash during the write, so it need not be read again."""

    def __init__(self, path: Path) -> None:
        self._file = open(path, "xb")  # noqa: SIM115  `__exit__` closes it
        self._sha256 = hashlib.sha256()
        self._bytes = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def write(self, data: memoryview, /) -> None:
        self._file.write(data)
        self._sha256.update(data)
        self._bytes += data.nbytes

    @property
    def entry(self) -> FileEntry:
        """The manifest entry of the bytes written so far."""
        return FileEntry(self._bytes, self._sha256.hexdigest())


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
