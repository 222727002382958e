"""The names and numbers of a generation's records, which `stores/local/__init__` describes, and their files.

A file has the ids, hashes, docs and places of some thousand rows in path order. The hash of a record decides if a block
begins with it, so an edit writes one block and links the others. The ids of a block have a file of their own, since all
else is the same in each scope with these records.
"""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from searchsocket.errors import RecordsMissing
from searchsocket.stores.bounded import BoundedCache
from searchsocket.stores.local.layout import PackEntry
from searchsocket.system.arrays import Integers, load_arrays, saved_array
from searchsocket.text.hidden import storable

Ids = NDArray[np.bytes_]
Rows = NDArray[np.int64]  # positions of vectors and facts
Places = NDArray[np.uint32]  # shape (rows, 2): index of the pack in the manifest, row of the vector in that pack
Docs = NDArray[np.integer]  # numbers of records in packs

_MAX_HITS = 8_192  # ids whose rows are remembered
_BATCH = 4_096  # records in memory at a time
HASH_BYTES = 32

_MIN_ROWS, _MAX_BLOCKS = 1_024, 64  # rows per block, and blocks per generation: on average
MIN_ROW_BYTES = HASH_BYTES + 16  # without its id
_ID_BYTES = 20  # of a SHA-1
_KEY_DIGITS = 16  # of a pack's name: rows refer to the pack by these, so that a new pack changes no block


@dataclass(frozen=True, slots=True)
class Origins:
    """The origins of the rows of a new generation: each is staged, or a row of the live one."""

    is_staged: NDArray[np.bool_]
    rows: Rows  # positions among the staged ones, or rows of the live generation

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, chosen: Any) -> "Origins":
        return Origins(self.is_staged[chosen], self.rows[chosen])

    @property
    def staged(self) -> Rows:
        """The positions of those that are staged."""
        return self.rows[self.is_staged]

    @property
    def live(self) -> Rows:
        """The rows of the others in the live generation."""
        return self.rows[~self.is_staged]


class RowNames(NamedTuple):
    """Names and places of the record of each row. All other data is in packs, which all generations share."""

    ids: Ids
    hashes: NDArray[np.uint8]  # shape (rows, 32): of the records
    docs: NDArray[np.uint32]
    places: Places


class Numbering:
    """Converts between ids, rows and docs of one generation; safe to share between threads."""

    def __init__(self, names: RowNames, max_doc: int) -> None:
        """Args: max_doc: the upper limit of all docs."""
        self.names = names
        self.ids, self.docs = names.ids, names.docs
        self._row_of_doc = np.full(max_doc + 1, -1, np.int64)
        self._row_of_doc[self.docs] = np.arange(len(self.ids))
        self._row_of = BoundedCache[str, int](_MAX_HITS)

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def rows_by_id(self) -> Rows:
        """All rows, in ascending order of id."""
        rows: Rows = np.argsort(self.ids, kind="stable")
        return rows

    @cached_property
    def id_order(self) -> NDArray[np.uint32]:
        """The rank of the id of each row."""
        order = np.empty(len(self), np.uint32)
        order[self.rows_by_id] = np.arange(len(self))
        return order

    def fingerprints(self, after: str, limit: int) -> list[tuple[str, str]]:
        """The next (id, record_hash) pairs after the id `after`, in ascending order of id."""
        key = np.bytes_(storable(after).encode())
        start = int(np.searchsorted(self.ids, key, "right", sorter=self.rows_by_id)) if after else 0
        return self._pairs(self.rows_by_id[start : start + limit])

    def all_fingerprints(self) -> Iterator[tuple[str, str]]:
        """Yield (id, record_hash) of every record in ascending order of id, with one batch in memory at a time."""
        for start in range(0, len(self), _BATCH):
            yield from self._pairs(self.rows_by_id[start : start + _BATCH])

    def digest(self) -> str:
        """`index_digest` of all records, from bytes: from texts it would take three times as long."""
        digest, width = hashlib.sha256(), self.ids.dtype.itemsize
        for start in range(0, len(self), _BATCH):
            rows = self.rows_by_id[start : start + _BATCH]
            lines = np.empty((len(rows), width + 1 + 2 * HASH_BYTES + 1), np.uint8)
            lines[:, :width] = np.ascontiguousarray(self.ids[rows]).view(np.uint8).reshape(-1, width)
            lines[:, width], lines[:, -1] = 0, ord("\n")
            hashes = self.names.hashes[rows].tobytes().hex().encode()
            lines[:, width + 1 : -1] = np.frombuffer(hashes, np.uint8).reshape(-1, 2 * HASH_BYTES)
            is_text = lines != 0  # shorter ids end with zeros
            is_text[:, width] = True
            digest.update(lines[is_text].tobytes())
        return digest.hexdigest()

    def hashes(self, ids: Sequence[str]) -> dict[str, str]:
        """The record hash of each of these records that exists."""
        rows = self.rows_or_none(ids)
        existing = [id_ for id_, row in zip(ids, rows.tolist(), strict=True) if row >= 0]
        return {id_: own[1] for id_, own in zip(existing, self._pairs(rows[rows >= 0]), strict=True)}

    def names_of_docs(self, docs: Sequence[int]) -> list[tuple[str, str]]:
        """(id, record_hash) of each doc; two empty texts if there is no such record."""
        existing = [doc for doc in docs if doc < len(self._row_of_doc) and self._row_of_doc[doc] >= 0]
        pairs = dict(zip(existing, self._pairs(self.rows_of_docs(existing)), strict=True))
        return [pairs.get(doc, ("", "")) for doc in docs]

    def packs_of_docs(self, docs: Sequence[int]) -> list[int]:
        """The number of the pack that has each doc."""
        packs: list[int] = self.names.places[self.rows_of_docs(docs), 0].tolist()
        return packs

    def hashes_of(self, rows: Rows) -> list[str]:
        """The record hash of each row."""
        hashes, width = self.names.hashes[rows].tobytes().hex(), 2 * HASH_BYTES
        return [hashes[at : at + width] for at in range(0, len(hashes), width)]

    def _pairs(self, rows: Rows) -> list[tuple[str, str]]:
        return list(zip([id_.decode() for id_ in self.ids[rows].tolist()], self.hashes_of(rows), strict=True))

    def ids_of(self, rows: Rows) -> list[str]:
        """The ids of rows. Callers look these records up next, so their rows are cached."""
        ids = [id_.decode() for id_ in self.ids[rows].tolist()]
        self._row_of.remember(dict(zip(ids, rows.tolist(), strict=True)))
        return ids

    def rows_of(self, ids: Sequence[str]) -> Rows:
        """The row of each id.

        Raises:
            RecordsMissing: There is no such record.
        """
        rows = self.rows_or_none(ids)
        if len(unknown := np.flatnonzero(rows < 0)):
            raise RecordsMissing([ids[unknown[0]]])
        return rows

    def docs_of(self, ids: Sequence[str]) -> list[int]:
        """The doc of each id.

        Raises:
            RecordsMissing: There is no such record.
        """
        docs: list[int] = self.docs[self.rows_of(ids)].tolist()
        return docs

    def rows_of_docs(self, docs: Sequence[int] | Integers) -> Rows:
        """The row of each doc."""
        return self._row_of_doc[np.asarray(docs, np.int64)]

    def rows_or_none(self, ids: Sequence[str]) -> Rows:
        """The row of each id; -1 if there is no such record."""
        row_of = self._row_of.values
        try:
            return np.fromiter(map(row_of.__getitem__, ids), np.int64, len(ids))
        except KeyError:  # some are not cached
            rows = np.array([row_of.get(id_, -1) for id_ in ids], np.int64)
        others = np.flatnonzero(rows < 0)
        if len(others) and len(self.ids):
            keys = np.array([storable(ids[i]).encode() for i in others.tolist()])
            after = np.searchsorted(self.ids, keys, sorter=self.rows_by_id)
            candidates = self.rows_by_id[np.minimum(after, len(self.ids) - 1)]
            rows[others] = np.where(self.ids[candidates] == keys, candidates, -1)
        return rows


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
