"""The matrix of a generation: unit vectors as rows in path order, of which a query searches those of its filter.

`np.vecdot` runs at memory bandwidth on one thread. The score of a row does not depend on its position, unlike with the
matrix product of BLAS.
"""

import mmap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Protocol

import numpy as np
from numpy.typing import NDArray

from searchsocket.stores.base.labels import groups_of
from searchsocket.stores.base.vectors import UNIT_TOLERANCE, VectorLimits, canonical, check_vectors, cosines
from searchsocket.stores.bounded import BoundedCache
from searchsocket.stores.local.catalogue.facts import FactTable, LabelledRows
from searchsocket.stores.local.catalogue.records import path_bounds
from searchsocket.stores.local.layout import NamingDamage
from searchsocket.stores.local.numbering import Numbering, Origins, Places, Rows
from searchsocket.system.arrays import Integers
from searchsocket.text.hidden import storable
from searchsocket.types import MATCH_ALL, Filter, Hit, Scores, Vector, Vectors

_MAX_CACHED_TAGS = 256

_MARGIN = 1e-5  # far above the rounding of a float32 product, so no true winner is left out before rescoring
_BLOCK_ROWS = 4096
_FEW_QUERIES = 20  # gathering the vectors of packs takes as long as ten queries of them
# Smaller matrices are read as a whole: a mapped file that is truncated kills the process (SIGBUS).
MAX_READ_BYTES = 64_000_000


@dataclass(frozen=True, slots=True)
class RowSelection:
    """The rows that a query may return: all or some rows of a contiguous range."""

    start: int
    stop: int
    rows: Rows | None = None  # ascending, within the range; None = every row of it


class Selector:
    """Turns filters into rows; safe to share between threads."""

    def __init__(self, facts: FactTable, labelled: LabelledRows, hidden: Rows, damage: NamingDamage) -> None:
        self._facts = facts
        self._labelled = labelled
        self._hidden = hidden
        self._damage = damage
        self._tags = BoundedCache[str, Rows](_MAX_CACHED_TAGS)

    def select(self, where: Filter) -> RowSelection | None:
        """The rows that match a filter; None if there are none."""
        start, stop = 0, len(self._facts.weights)
        where = canonical(where)
        if where.path_prefix:
            start, stop = self._range_of(where.path_prefix)
        rows = self._below(where.directories) if where.directories else None
        for tag in dict.fromkeys(where.tags):
            tagged = self._tagged(storable(tag))
            rows = tagged if rows is None else np.intersect1d(rows, tagged, assume_unique=True)
        for group in groups_of(where):
            labelled = self._labelled.any_of(group)
            rows = self._visible(np.flatnonzero(labelled)) if rows is None else rows[labelled[rows]]
        if rows is not None:
            rows = rows[np.searchsorted(rows, start) : np.searchsorted(rows, stop)]
        is_empty = start >= stop or (rows is not None and not len(rows))
        return None if is_empty else RowSelection(start, stop, rows)

    def mask(self, where: Filter) -> NDArray[np.bool_]:
        """True for each row that matches a filter; hidden rows may be included."""
        chosen, mask = self.select(where), np.zeros(len(self._facts.weights), np.bool_)
        if chosen is not None:
            mask[slice(chosen.start, chosen.stop) if chosen.rows is None else chosen.rows] = True
        return mask

    def _range_of(self, directory: str) -> tuple[int, int]:
        with self._damage:
            first, last = map(self._facts.first_row_from, path_bounds(directory))
        return first, last

    def _below(self, directories: Sequence[str]) -> Rows:
        """The visible rows in any of some directories, rising."""
        ranges = [np.arange(*self._range_of(directory)) for directory in directories]
        return self._visible(np.unique(np.concatenate(ranges)))

    def count(self, where: Filter) -> int:
        """The number of visible rows that match a filter."""
        chosen = self.select(where)
        if chosen is None:
            return 0
        if chosen.rows is not None:
            return len(chosen.rows)
        first, last = np.searchsorted(self._hidden, (chosen.start, chosen.stop)).tolist()
        return chosen.stop - chosen.start - int(last - first)

    def _tagged(self, tag: str) -> Rows:
        """Rows with a tag, without the hidden ones, rising; looked up once a reader."""
        rows = self._tags.values.get(tag)
        if rows is None:
            with self._damage:
                rows = self._visible(np.flatnonzero(self._labelled.tagged(tag)))
            self._tags.remember_one(tag, rows)
        return rows

    def _visible(self, rows: Rows) -> Rows:
        return np.setdiff1d(rows, self._hidden, assume_unique=True) if self._hidden.size else rows


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


def in_order(rows: int) -> Places:
    """The places of rows that one matrix contains in their order."""
    return np.stack([np.zeros(rows, np.uint32), np.arange(rows, dtype=np.uint32)], axis=1)


def in_memory(packs: Sequence[Vectors], places: Places, dimensions: int) -> Vectors:
    """The vectors by row, independent of later changes to the files."""
    matrix = np.empty((len(places), dimensions), np.float32)
    for start in range(0, len(places), _BLOCK_ROWS):
        block = places[start : start + _BLOCK_ROWS]
        matrix[start : start + len(block)] = _vectors_at(packs, block, dimensions)
        for pack in packs:
            forget_pages(pack)
    matrix.flags.writeable = False
    return matrix


def _vectors_at(packs: Sequence[Vectors], places: Places, dimensions: int) -> Vectors:
    """The vectors at places."""
    numbers, slots = places.T
    vectors = np.empty((len(places), dimensions), np.float32)
    for number in np.flatnonzero(np.bincount(numbers)).tolist():
        is_there = numbers == number
        vectors[is_there] = packs[number][slots[is_there]]
    return vectors


class PackedRows:
    """The vectors by row, read from their packs: for few queries."""

    def __init__(self, packs: Sequence[Vectors], places: Places, dimensions: int) -> None:
        self._packs = packs
        self._places = places
        self._dimensions = dimensions
        numbers, slots = places.astype(np.int64).T
        is_next = (numbers[1:] == numbers[:-1]) & (slots[1:] == slots[:-1] + 1)
        self._breaks = np.flatnonzero(~is_next) + 1  # rows whose vector does not follow that of the row before

    def __getitem__(self, rows: Rows) -> Vectors:
        """A copy of the vectors of rows."""
        return _vectors_at(self._packs, self._places[rows], self._dimensions)

    def pieces(self, start: int, stop: int) -> Iterator[Vectors]:
        """The vectors from one row to before another, as slices of packs."""
        bounds = [start, *self._breaks[(self._breaks > start) & (self._breaks < stop)].tolist(), stop]
        for first, last in pairwise(bounds) if start < stop else ():
            number, slot = self._places[first].tolist()
            for at in range(slot, slot + last - first, _BLOCK_ROWS):
                yield self._packs[number][at : min(at + _BLOCK_ROWS, slot + last - first)]
                forget_pages(self._packs[number])


def forget_pages(matrix: Vectors) -> None:
    """Release the memory pages read so far, so that a pass over a matrix does not keep all of it in memory."""
    base: object = matrix
    while isinstance(base, np.ndarray):
        base = base.base
    mapped = base.obj if isinstance(base, memoryview) else base
    if isinstance(mapped, mmap.mmap):
        mapped.madvise(mmap.MADV_DONTNEED)


def best_rows(
    matrix: Vectors | PackedRows, vector: Vector, chosen: RowSelection, hidden: Rows, order: Integers, top_k: int
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
        scores = _scores_between(matrix, vector, chosen.start, chosen.stop)
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


def _scores_between(matrix: Vectors | PackedRows, vector: Vector, start: int, stop: int) -> NDArray[np.float32]:
    scores = np.empty(stop - start, np.float32)
    at = 0
    for piece in matrix.pieces(start, stop) if isinstance(matrix, PackedRows) else [matrix[start:stop]]:
        np.vecdot(piece, vector, out=scores[at : at + len(piece)])
        at += len(piece)
    return scores


def _scores_of_rows(matrix: Vectors | PackedRows, vector: Vector, rows: Rows) -> NDArray[np.float32]:
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


def write_matrix(file: Sink, sources: Origins, take: Callable[[Rows], Vectors], staged: Vectors) -> None:
    """Write a matrix, some rows at a time.

    Args:
        sources: The origin of each row; staged ones by their slot.
        take: Returns the vectors of rows of the live generation.
    """
    for start in range(0, len(sources), _BLOCK_ROWS):
        block = sources[start : start + _BLOCK_ROWS]
        vectors = np.empty((len(block), staged.shape[1]), np.float32)
        vectors[block.is_staged] = staged[block.staged]
        if not block.is_staged.all():
            vectors[~block.is_staged] = take(block.live)
        file.write(vectors.data)
        forget_pages(staged)


class MatrixVectors:
    """Implements `VectorSnapshot` on a matrix: a search reads every row."""

    limits = VectorLimits()

    def __init__(
        self,
        packs: Sequence[Vectors],
        places: Places,
        dimensions: int,
        numbering: Numbering,
        hidden: Rows,
        selector: Selector,
        damage: NamingDamage,
        *,
        is_read: bool,
    ) -> None:
        """Args:
        places: The place of each row in `packs`.
        is_read: `packs` are in memory.
        """
        self.read_bytes = sum(pack.nbytes for pack in packs) if is_read else 0
        self._packs = packs
        self._places = places
        self._dimensions = dimensions
        self.numbering = numbering
        self._hidden = hidden
        self._selector = selector
        self._damage = damage
        self._queries = 0

    @cached_property
    def matrix(self) -> Vectors:
        """The vectors by row. Those of several packs are copied into a file without a name, which is mapped."""
        if len(self._packs) == 1 and np.array_equal(self._places, in_order(len(self._packs[0]))):
            return self._packs[0]
        if not len(self._places):
            return np.empty((0, self._dimensions), np.float32)
        with TemporaryFile() as file:
            rows = np.arange(len(self._places))
            for start in range(0, len(rows), _BLOCK_ROWS):
                file.write(self.read_once(rows[start : start + _BLOCK_ROWS]).data)
            file.flush()
            return map_open(file, len(self._places), self._dimensions)

    @cached_property
    def _packed_rows(self) -> PackedRows:
        return PackedRows(self._packs, self._places, self._dimensions)

    def _by_row(self) -> Vectors | PackedRows:
        """The matrix once it is prepared for queries, or after a few of them."""
        self._queries += 1
        return self.matrix if "matrix" in self.__dict__ or self._queries > _FEW_QUERIES else self._packed_rows

    def read_once(self, rows: Rows) -> Vectors:
        """The vectors of rows, which do not stay in memory."""
        with self._damage:
            vectors = _vectors_at(self._packs, self._places[rows], self._dimensions)
        for pack in self._packs:
            forget_pages(pack)
        return vectors

    def nearest(self, vector: Vector, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """Return at most `top_k` records that match `where`, by falling cosine; equal scores by rising id."""
        rows, scores = self.nearest_rows(vector, top_k, where)
        return list(map(Hit, self.numbering.ids_of(rows), scores.tolist()))

    def nearest_rows(self, vector: Vector, top_k: int, where: Filter) -> tuple[Rows, Scores]:
        """The rows of the nearest records, best first, and their cosines."""
        self._check(vector)
        chosen = self._selector.select(where)
        if chosen is None or top_k < 1:
            return np.empty(0, np.int64), np.empty(0)
        with self._damage:
            return best_rows(self._by_row(), vector, chosen, self._hidden, self.numbering.id_order, top_k)

    def cosines(self, vector: Vector, rows: Rows) -> Scores:
        """The cosines of rows, as `nearest_rows` gives them."""
        with self._damage:
            return cosines(self._by_row(), vector, rows)

    def similarities(self, vector: Vector, ids: Sequence[str]) -> list[float]:
        """Return the cosine of each record, in the order of `ids`."""
        self._check(vector)
        scores: list[float] = self.cosines(vector, self.numbering.rows_of(ids)).tolist()
        return scores

    def vectors_of(self, ids: Sequence[str]) -> Vectors:
        """Return a copy of the vector of each record, in the order of `ids`."""
        rows = self.numbering.rows_of(ids)
        with self._damage:
            return _vectors_at(self._packs, self._places[rows], self._dimensions)

    def _check(self, vector: Vector) -> None:
        is_float = vector.dtype == np.float32 and vector.shape == (self._dimensions,)
        if is_float and abs(float(vector @ vector) - 1.0) <= UNIT_TOLERANCE:
            return  # the whole check takes as long as a hundred cosines
        check_vectors(vector[np.newaxis], 1, self._dimensions)
