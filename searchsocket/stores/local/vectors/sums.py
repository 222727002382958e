"""A matrix in a third of its bytes, where a vector is whole numbers over their length, as the built-in model's are.

Which whole numbers these were is found again from the floats, and kept where the floats follow from them to the last
bit; a vector of others is kept beside them as it is. A number is two bytes, and in a block all upper bytes stand behind
all lower ones: those are alike, so that zstd leaves a third of them.
"""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from searchsocket.stores.local.numbering import Rows
from searchsocket.system.compressed import FRAME_OPTIONS, content_size, zstd
from searchsocket.types import Vectors

_MAX_SMALLEST = 64  # of the smallest whole number of a vector; of 6,516 sums it was 48 at most
_MAX_NUMBER = np.iinfo(np.int16).max
_BLOCK_ROWS = 512  # what the processor's cache holds
_SAMPLE = 64  # vectors by which it is told whether the others are worth a look


class Sums(NamedTuple):
    """Vectors as whole numbers."""

    numbers: NDArray[np.int16]  # shape (n, dim); zeros where a vector is none of such
    others: NDArray[np.uint32]  # rows of these, rising
    floats: Vectors  # what these are


def sums_of(vectors: Vectors) -> Sums | None:
    """The vectors as whole numbers; None where most are none, so that nothing would be saved."""
    sample = vectors[:: max(1, len(vectors) // _SAMPLE)]
    if 2 * int(_whole(sample)[1].sum()) < len(sample):
        return None
    numbers = np.zeros(vectors.shape, np.int16)
    is_whole = np.zeros(len(vectors), np.bool_)
    for start in range(0, len(vectors), _BLOCK_ROWS):
        block = slice(start, start + _BLOCK_ROWS)
        numbers[block], is_whole[block] = _whole(vectors[block])
    others = np.flatnonzero(~is_whole).astype(np.uint32)
    return Sums(numbers, others, vectors[others])


def merged(sources: Rows, live: Sums, staged: Sums) -> Sums:
    """Vectors of two sources.

    Args:
        sources: Of each row: a row of `live`, or the next one of `staged` where it is negative.
    """
    is_new = sources < 0
    if is_new.all():
        return staged  # which may be of another model, of another length
    old = np.flatnonzero(~is_new)
    at = np.searchsorted(live.others, sources[old])
    is_other = np.isin(sources[old], live.others)
    numbers = np.empty((len(sources), *live.numbers.shape[1:]), np.int16)
    numbers[old], numbers[is_new] = live.numbers[sources[old]], staged.numbers
    others = np.concatenate([old[is_other], np.flatnonzero(is_new)[staged.others]])
    floats = np.concatenate([live.floats[at[is_other]], staged.floats])
    order = np.argsort(others)
    return Sums(numbers, others[order].astype(np.uint32), floats[order])


def packed(sums: Sums) -> bytes:
    """One frame of zstd, with a checksum: vectors of other numbers, then a block of numbers after the other."""
    parts: list[NDArray[Any]] = [sums.others.astype("<u4"), sums.floats.astype("<f4")]
    for start in range(0, len(sums.numbers), _BLOCK_ROWS):
        numbers = sums.numbers[start : start + _BLOCK_ROWS].astype("<i2")
        parts.append(np.ascontiguousarray(numbers.view(np.uint8).reshape(-1, 2).T))
    whole = b"".join(part.tobytes() for part in parts)
    return zstd.compress(whole, options=FRAME_OPTIONS)


class PackedSums:
    """Packed contents, read once from beginning to end."""

    def __init__(self, frame: bytes, rows: int, dimensions: int) -> None:
        """Read what stands in front.

        Raises:
            ValueError: The bytes are not what was written. So do the others.
        """
        self._shape = rows, dimensions
        with _damage():
            count, rest = divmod(content_size(frame) - 2 * rows * dimensions, 4 + 4 * dimensions)
            if rest or not 0 <= count <= rows:
                raise ValueError("the vectors have an unexpected number or size")
            self._reader = zstd.ZstdFile(io.BytesIO(frame))
        self._others = np.frombuffer(self._read(bytearray(4 * count)), "<u4").astype(np.uint32)
        floats = np.frombuffer(self._read(bytearray(4 * count * dimensions)), "<f4")
        self._floats: Vectors = floats.astype(np.float32).reshape(count, dimensions)
        if count and int(self._others.max()) >= rows:
            raise ValueError("some vectors belong to no row")

    def vectors(self) -> Iterator[Vectors]:
        """The vectors by row, a block in memory at a time."""
        start = 0
        for numbers in self._numbers():
            block = _unit(numbers)
            here = slice(*np.searchsorted(self._others, (start, start + len(numbers))))
            block[self._others[here] - np.uint32(start)] = self._floats[here]
            yield block
            start += len(numbers)

    def sums(self) -> Sums:
        """All of it as whole numbers."""
        numbers = [np.empty((0, self._shape[1]), np.int16), *self._numbers()]
        return Sums(np.concatenate(numbers), self._others, self._floats)

    def _numbers(self) -> Iterator[NDArray[np.int16]]:
        rows, dimensions = self._shape
        buffer = bytearray(2 * _BLOCK_ROWS * dimensions)  # stays in the processor's cache
        for start in range(0, rows, _BLOCK_ROWS):
            count = min(_BLOCK_ROWS, rows - start)
            planes = np.frombuffer(self._read(buffer, 2 * count * dimensions), np.uint8).reshape(2, -1)
            numbers = planes[1].astype(np.int16)  # a twentieth of the time of laying the bytes side by side
            numbers <<= 8
            numbers |= planes[0]
            yield numbers.reshape(count, dimensions)
        with _damage():
            if self._reader.read(1):  # which reads the checksum as well
                raise ValueError("the vectors have an unexpected number or size")

    def _read(self, buffer: bytearray, size: int | None = None) -> memoryview:
        view = memoryview(buffer)[:size]
        at = 0
        with _damage():
            while at < len(view):
                if not (count := self._reader.readinto(view[at:])):
                    raise ValueError("the vectors are incomplete")
                at += count
        return view


@contextmanager
def _damage() -> Iterator[None]:
    try:
        yield
    except (zstd.ZstdError, EOFError) as error:
        raise ValueError(f"the vectors are damaged ({error})") from error


def _whole(vectors: Vectors) -> tuple[NDArray[np.int16], NDArray[np.bool_]]:
    """The whole numbers of some vectors, and of which there are any.

    One of them, the smallest but zero, is 1 or 2 nearly always: each is tried, and with it all others are known.
    """
    exact = vectors.astype(np.float64)
    smallest = np.where(exact == 0, np.inf, np.abs(exact)).min(axis=1)
    numbers, is_whole = np.zeros(vectors.shape, np.int16), np.zeros(len(vectors), np.bool_)
    biggest = np.abs(exact).max(axis=1) / smallest
    for number in range(1, _MAX_SMALLEST + 1):
        remaining = np.flatnonzero(~is_whole & (biggest * number < _MAX_NUMBER))
        if not len(remaining):
            break
        tried = np.rint(exact[remaining] * (number / smallest[remaining])[:, np.newaxis])
        fits = (_unit(tried) == vectors[remaining]).all(axis=1)
        numbers[remaining[fits]], is_whole[remaining[fits]] = tried[fits], True
    return numbers, is_whole


def _unit(numbers: NDArray[np.int16] | NDArray[np.float64]) -> Vectors:
    """As the built-in model scales its sums: squares of whole numbers add up to the same in any order."""
    exact = numbers.astype(np.float64)
    lengths = np.sqrt(np.einsum("ij,ij->i", exact, exact))
    lengths[lengths == 0] = 1
    exact /= lengths[:, np.newaxis]
    unit: Vectors = exact.astype(np.float32)
    return unit
