"""The file of a generation's matrix: as it is scanned, or a small one packed, which is unpacked when it is opened."""

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryFile

import numpy as np

from searchsocket.stores.local.hashed_file import HashedFile
from searchsocket.stores.local.layout import VECTORS, FileEntry
from searchsocket.stores.local.numbering import Rows
from searchsocket.stores.local.vectors.matrix import forget_pages, map_matrix, map_open, read_matrix, write_matrix
from searchsocket.stores.local.vectors.sums import PackedSums, Sums, merged, packed, sums_of
from searchsocket.types import Vectors

# Unpacking takes a millisecond a megabyte, which whoever opens a larger one would notice; that is scanned as it lies.
MAX_PACKED_BYTES = 32_000_000


class MatrixFile:
    """Contents of a file, packed or not; the size of the file decides."""

    def __init__(self, path: Path, rows: int, dimensions: int) -> None:
        self._path = path
        self._shape = rows, dimensions
        self.bytes = rows * dimensions * 4  # of the matrix

    def read(self) -> Vectors:
        """The matrix in memory, which whatever becomes of the file does not touch.

        Raises:
            ValueError: The file is damaged. So do the others.
        """
        packed_sums = self._packed()
        if packed_sums is None:
            return read_matrix(self._path, *self._shape)
        matrix = np.empty(self._shape, np.float32)
        start = 0
        for block in packed_sums.vectors():
            matrix[start : start + len(block)] = block
            start += len(block)
        matrix.flags.writeable = False
        return matrix

    def map(self) -> Vectors:
        """The matrix as an array that is read page by page when it is used, for which the page cache gives way."""
        packed_sums = self._packed()
        if packed_sums is None:
            return map_matrix(self._path, *self._shape)
        with TemporaryFile() as file:
            for block in packed_sums.vectors():
                file.write(block.data)
            file.flush()
            return map_open(file, *self._shape)

    def sums(self) -> Sums | None:
        """The packed contents; None if the file is not packed."""
        packed_sums = self._packed()
        return None if packed_sums is None else packed_sums.sums()

    def _packed(self) -> PackedSums | None:
        if self._path.stat().st_size == self.bytes:
            return None
        return PackedSums(self._path.read_bytes(), *self._shape)


def write_file(
    folder: Path, sources: Rows, live: Vectors, old: Sums | None, staged: Vectors
) -> Mapping[str, FileEntry]:
    """Write a matrix from rows of the live one (source >= 0) and of the staged ones (~source).

    Args:
        old: The live one, where it is packed.

    Returns:
        What the manifest says of the file.
    """
    bytes_ = len(sources) * staged.shape[1] * 4
    sums = _sums(sources, old, staged) if bytes_ <= MAX_PACKED_BYTES else None
    data = b"" if sums is None else packed(sums)
    with HashedFile(folder / VECTORS) as file:
        if 0 < len(data) < bytes_:
            file.write(memoryview(data))
        else:
            write_matrix(file, sources, live, staged)
        return {VECTORS: file.entry}


def _sums(sources: Rows, old: Sums | None, staged: Vectors) -> Sums | None:
    """All vectors as whole numbers; None where they are none, or where the live ones are not packed."""
    added = staged[~sources[sources < 0]]
    forget_pages(staged)
    if old is None:
        return sums_of(added) if len(added) == len(sources) else None
    new = sums_of(added)
    return None if new is None else merged(sources, old, new)
