"""Location of a generation's vectors: in its folder or in a remote index. Records and words are always local."""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from searchsocket.stores.base.vectors import VectorSnapshot, VectorUpkeep
from searchsocket.stores.local.layout import FileEntry, Manifest
from searchsocket.stores.local.numbering import Numbering, Origins, Rows
from searchsocket.stores.local.vectors.selecting import Selector
from searchsocket.types import Generation, Record, Scope, Vector, Vectors

BATCH = 4096  # vectors in memory at a time


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
