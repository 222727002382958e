"""Files of a generation's rows: their ids, hashes, docs and places, in blocks of some thousand rows in path order.

The hash of a record decides if a block begins with it, so an edit writes one block and links the others. The ids of a
block have a file of their own, since all else is the same in each scope with these records.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from searchsocket.stores.local.layout import PackEntry
from searchsocket.stores.local.numbering import HASH_BYTES, RowNames
from searchsocket.system.arrays import load_arrays, saved_array

_MIN_ROWS, _MAX_BLOCKS = 1_024, 64  # rows per block, and blocks per generation: on average
MIN_ROW_BYTES = HASH_BYTES + 16  # without its id
_ID_BYTES = 20  # of a SHA-1
_KEY_DIGITS = 16  # of a pack's name: rows refer to the pack by these, so that a new pack changes no block


def row_blocks(names: RowNames, packs: Sequence[PackEntry]) -> Iterator[bytes]:
    """Yield the contents of the files: the ids of a block, then its rows."""
    count = len(names.ids)
    fields = [
        ("hash", "u1", HASH_BYTES),
        ("pack", "<u8"),
        ("place", "<u4"),
        ("doc", "<u4"),
    ]
    rows = np.empty(count, np.dtype(fields))
    rows["hash"], rows["doc"] = names.hashes, names.docs
    rows["pack"] = _keys(packs)[names.places[:, 0]]
    rows["place"] = names.places[:, 1]
    size = _MIN_ROWS
    while count > size * _MAX_BLOCKS:
        size *= 2
    lots = np.ascontiguousarray(names.hashes[:, :4]).view("<u4").ravel()
    bounds = [0, *(np.flatnonzero(lots[1:] < (1 << 32) // size) + 1).tolist(), count]
    for first, last in pairwise(bounds):
        for start in range(first, max(last, first + 1), 2 * size):  # chance makes some blocks long
            block = slice(start, min(start + 2 * size, last))
            yield saved_array(_packed(names.ids[block]))
            yield saved_array(rows[block])


def read_blocks(blocks: Sequence[bytes], packs: Sequence[PackEntry]) -> RowNames:
    """The rows of the files, in their order.

    Args:
        blocks: As from `row_blocks`.

    Raises:
        ValueError, TypeError, LookupError: A file is damaged, or names packs that are not in `packs`.
    """
    ids = np.concatenate([_unpacked(load_arrays(block)) for block in blocks[::2]])
    rows = np.concatenate([load_arrays(block) for block in blocks[1::2]])
    if len(ids) != len(rows):
        raise ValueError("its blocks do not match")
    keys = _keys(packs)
    order = np.argsort(keys)
    at = np.searchsorted(keys[order], rows["pack"])
    if len(rows) and not len(keys):
        raise ValueError("it names packs, and the manifest lists none")
    numbers = order[np.minimum(at, len(keys) - 1)] if len(rows) else at
    sizes = np.array([pack.records for pack in packs], np.int64)
    if (keys[numbers] != rows["pack"]).any() or (rows["place"] >= sizes[numbers]).any():
        raise ValueError("it names packs that the manifest does not list")
    places = np.stack([numbers, rows["place"]], axis=1).astype(np.uint32)
    hashes, docs = (np.ascontiguousarray(rows[name]) for name in ("hash", "doc"))
    return RowNames(ids, hashes, docs, places)


def _packed(ids: NDArray[np.bytes_]) -> NDArray[np.generic]:
    """The ids as numbers if all are hashes, which halves their size."""
    if ids.dtype.itemsize == 2 * _ID_BYTES:
        text = ids.tobytes().decode("ascii", "replace")
        with suppress(ValueError):
            data = bytes.fromhex(text)
            if data.hex() == text:  # no capital letters or blanks
                return np.frombuffer(data, np.uint8).reshape(-1, _ID_BYTES)
    return ids


def _unpacked(ids: NDArray[Any]) -> NDArray[np.bytes_]:
    if ids.dtype != np.uint8:
        return ids
    return np.frombuffer(ids.tobytes().hex().encode(), f"S{2 * _ID_BYTES}")


def _keys(packs: Sequence[PackEntry]) -> NDArray[np.uint64]:
    return np.array([int(pack.name[:_KEY_DIGITS], 16) for pack in packs], np.uint64)
