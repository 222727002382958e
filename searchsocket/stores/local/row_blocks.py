"""Files of a generation's rows: their ids, hashes, docs and places, in blocks of some thousand rows in path order.

The hash of a record decides if a block begins with it, so an edit writes one block and links the others.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from searchsocket.stores.local.layout import PackEntry
from searchsocket.stores.local.numbering import HASH_BYTES, RowNames
from searchsocket.system.arrays import load_arrays, saved_array

_MIN_ROWS, _MAX_BLOCKS = 1_024, 64  # rows per block, and blocks per generation: on average
MIN_ROW_BYTES = HASH_BYTES + 16  # without its id
_KEY_DIGITS = 16  # of a pack's name: rows refer to the pack by these, so that a new pack changes no block


def row_blocks(names: RowNames, packs: Sequence[PackEntry]) -> Iterator[bytes]:
    """Yield the contents of the files, one per block."""
    count = len(names.ids)
    fields = [
        ("hash", "u1", HASH_BYTES),
        ("pack", "<u8"),
        ("place", "<u4"),
        ("doc", "<u4"),
        ("id", names.ids.dtype.str),
    ]
    rows = np.empty(count, np.dtype(fields))
    rows["hash"], rows["doc"], rows["id"] = names.hashes, names.docs, names.ids
    rows["pack"] = _keys(packs)[names.places[:, 0]]
    rows["place"] = names.places[:, 1]
    size = _MIN_ROWS
    while count > size * _MAX_BLOCKS:
        size *= 2
    lots = np.ascontiguousarray(names.hashes[:, :4]).view("<u4").ravel()
    for block in np.split(rows, np.flatnonzero(lots[1:] < (1 << 32) // size) + 1):
        for start in range(0, max(len(block), 1), 2 * size):  # chance makes some blocks long
            yield saved_array(block[start : start + 2 * size])


def read_blocks(blocks: Sequence[bytes], packs: Sequence[PackEntry]) -> RowNames:
    """The rows of the files, in their order.

    Raises:
        ValueError, TypeError, LookupError: A file is damaged, or names packs that are not in `packs`.
    """
    rows = np.concatenate([load_arrays(block) for block in blocks])
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
    ids, hashes, docs = (np.ascontiguousarray(rows[name]) for name in ("id", "hash", "doc"))
    return RowNames(ids, hashes, docs, places)


def _keys(packs: Sequence[PackEntry]) -> NDArray[np.uint64]:
    return np.array([int(pack.name[:_KEY_DIGITS], 16) for pack in packs], np.uint64)
