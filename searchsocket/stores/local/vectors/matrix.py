"""The matrix of a generation: unit vectors as rows in path order, memory-mapped, searched by brute force.

`np.vecdot` runs at memory bandwidth on one thread. The score of a row does not depend on its position, unlike with the
matrix product of BLAS.
"""

import mmap
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import IO, Protocol

import numpy as np
from numpy.typing import NDArray

from searchsocket.stores.base import UNIT_TOLERANCE, VectorLimits, check_vectors
from searchsocket.stores.base.vectors import cosines
from searchsocket.stores.local.layout import NamingDamage
from searchsocket.stores.local.numbering import Numbering, Rows
from searchsocket.stores.local.vectors.selecting import RowSelection, Selector
from searchsocket.system.arrays import Integers
from searchsocket.types import MATCH_ALL, Filter, Hit, Scores, Vector, Vectors

_MARGIN = 1e-5  # far above the rounding of a float32 product, so no true winner is left out before rescoring
_BLOCK_ROWS = 4096
# Smaller matrices are read as a whole: a mapped file that is truncated kills the process (SIGBUS).
MAX_READ_BYTES = 64_000_000


def map_matrix(path: Path, rows: int, dimensions: int) -> Vectors:
    """The file as an array that is read page by page when it is used."""
    if rows == 0:
        return np.empty((0, dimensions), np.float32)
    with open(path, "rb") as file:
        return map_open(file, rows, dimensions)


def map_open(file: IO[bytes], rows: int, dimensions: int) -> Vectors:
    """`map_matrix` of a file that may have no name, and has rows."""
    mapped = mmap.mmap(file.fileno(), rows * dimensions * 4, access=mmap.ACCESS_READ)
    return np.frombuffer(mapped, np.float32).reshape(rows, dimensions)


def read_matrix(path: Path, rows: int, dimensions: int) -> Vectors:
    """The file as an array in memory, independent of later changes to the file."""
    matrix = np.fromfile(path, np.float32, rows * dimensions).reshape(rows, dimensions)
    matrix.flags.writeable = False
    return matrix


def forget_pages(matrix: Vectors) -> None:
    """Release the memory pages read so far, so that a pass over a matrix does not keep all of it in memory."""
    base: object = matrix
    while isinstance(base, np.ndarray):
        base = base.base
    mapped = base.obj if isinstance(base, memoryview) else base
    if isinstance(mapped, mmap.mmap):
        mapped.madvise(mmap.MADV_DONTNEED)


def best_rows(
    matrix: Vectors, vector: Vector, chosen: RowSelection, hidden: Rows, order: Integers, top_k: int
) -> tuple[Rows, NDArray[np.float64]]:
    """The `top_k` chosen rows with the highest cosines, and these cosines: best first, ties in ascending `order`.

    Args:
        order: The rank of every row among ties.

    Raises:
        ValueError: The matrix is damaged.
    """
    rows = chosen.rows
    if rows is not None and len(rows) * 4 < chosen.stop - chosen.start:
        scores = _scores_of_rows(matrix, vector, rows)
    else:
        scores = np.vecdot(matrix[chosen.start : chosen.stop], vector)
        if rows is not None:
            scores = scores[rows - chosen.start]
        elif hidden.size:
            inside = hidden[(hidden >= chosen.start) & (hidden < chosen.stop)]
            scores[inside - chosen.start] = -np.inf
    near = _near_the_top(scores, top_k)
    rows_near = near + chosen.start if rows is None else rows[near]
    exact = cosines(matrix, vector, rows_near)
    best = np.lexsort((order[rows_near], -exact))[:top_k]
    return rows_near[best], exact[best]


def _scores_of_rows(matrix: Vectors, vector: Vector, rows: Rows) -> NDArray[np.float32]:
    scores = np.empty(len(rows), np.float32)
    for i in range(0, len(rows), _BLOCK_ROWS):
        scores[i : i + _BLOCK_ROWS] = np.vecdot(matrix[rows[i : i + _BLOCK_ROWS]], vector)
    return scores


def _near_the_top(scores: NDArray[np.float32], top_k: int) -> Rows:
    """Positions of the `top_k` highest scores and of all that rounding could put among them."""
    above = len(scores) - top_k
    cut = np.partition(scores, above)[above] - _MARGIN if above > 0 else -np.inf
    if np.isnan(cut):
        raise ValueError("vectors are not finite")  # without this, damage would read as an empty answer
    return np.flatnonzero(scores >= cut if cut > -np.inf else scores > -np.inf)


class Sink(Protocol):
    """Interface for writing bytes."""

    def write(self, data: memoryview, /) -> object: ...


def write_matrix(file: Sink, sources: Rows, live: Vectors, staged: Vectors) -> None:
    """Write a matrix from rows of the live one (source >= 0) and staged rows (~source), range by range."""
    for start, stop in _runs(sources):
        first = int(sources[start])
        if first >= 0:
            for i in range(0, stop - start, _BLOCK_ROWS):
                file.write(live[first + i : first + min(i + _BLOCK_ROWS, stop - start)].data)
                forget_pages(live)
        else:
            for i in range(start, stop, _BLOCK_ROWS):
                file.write(staged[~sources[i : min(i + _BLOCK_ROWS, stop)]].data)
                forget_pages(staged)


def _runs(sources: Rows) -> Iterator[tuple[int, int]]:
    """Contiguous ranges of live rows, and of staged rows."""
    if len(sources) == 0:
        return
    follows = (np.diff(sources) == 1) & (sources[1:] >= 0) & (sources[:-1] >= 0)
    both_staged = (sources[1:] < 0) & (sources[:-1] < 0)
    cuts = np.flatnonzero(~(follows | both_staged)) + 1
    bounds = [0, *(int(cut) for cut in cuts), len(sources)]
    yield from pairwise(bounds)


class MatrixVectors:
    """Implements `VectorSnapshot` on a matrix: a search reads every row."""

    limits = VectorLimits()

    def __init__(
        self,
        matrix: Vectors,
        numbering: Numbering,
        hidden: Rows,
        selector: Selector,
        damage: NamingDamage,
        read_bytes: int,
    ) -> None:
        """Args: read_bytes: Of the matrix, those that were read into memory."""
        self.matrix = matrix
        self.read_bytes = read_bytes
        self._numbering = numbering
        self._hidden = hidden
        self._selector = selector
        self._damage = damage

    def nearest(self, vector: Vector, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """See `VectorSnapshot.nearest`."""
        rows, scores = self.nearest_rows(vector, top_k, where)
        return list(map(Hit, self._numbering.ids_of(rows), scores.tolist()))

    def nearest_rows(self, vector: Vector, top_k: int, where: Filter) -> tuple[Rows, Scores]:
        """The rows of the nearest records, best first, and their cosines."""
        self._check(vector)
        chosen = self._selector.select(where)
        if chosen is None or top_k < 1:
            return np.empty(0, np.int64), np.empty(0)
        with self._damage:
            return best_rows(self.matrix, vector, chosen, self._hidden, self._numbering.id_order, top_k)

    def cosines(self, vector: Vector, rows: Rows) -> Scores:
        """The cosines of rows, as `nearest_rows` gives them."""
        with self._damage:
            return cosines(self.matrix, vector, rows)

    def similarities(self, vector: Vector, ids: Sequence[str]) -> list[float]:
        """See `VectorSnapshot.similarities`."""
        self._check(vector)
        scores: list[float] = self.cosines(vector, self._numbering.rows_of(ids)).tolist()
        return scores

    def vectors_of(self, ids: Sequence[str]) -> Vectors:
        """See `VectorSnapshot.vectors_of`."""
        rows = self._numbering.rows_of(ids)
        with self._damage:
            return self.matrix[rows]

    def _check(self, vector: Vector) -> None:
        dimensions = self.matrix.shape[1]
        is_float = vector.dtype == np.float32 and vector.shape == (dimensions,)
        if is_float and abs(float(vector @ vector) - 1.0) <= UNIT_TOLERANCE:
            return  # the whole check takes as long as a hundred cosines
        check_vectors(vector[np.newaxis], 1, dimensions)
