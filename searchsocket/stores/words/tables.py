"""A table of words: for each term and field, the documents that contain it, how often and where.

TermList are sorted, and each has one pair per field that contains it. A pair has an entry per document, in ascending
order, and an entry has a count and as many positions. All of it is flat arrays, so that a file can be mapped, and that
tables are merged with few steps: Lucene's segments have the same parts.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import count, pairwise
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from searchsocket.system.arrays import Integers, narrow

Slots = Integers  # positions of documents in their pack
_FIELD_BITS, _SLOT_BITS = 8, 32  # of a key, which sorts entries; the term is above them
_TERMS_A_BLOCK = 32  # a lookup reads one block
_ENTRIES_A_RANGE = 250_000  # of all tables that are merged: what is in memory at once
_UNSOUND = "a table of words contradicts itself"
_NONE = np.empty(0, np.int64)


class Entries(NamedTuple):
    """Documents with a term in a field, in ascending order."""

    slots: Slots
    counts: Integers  # of the term in each; empty if the table has no positions
    first_position: int  # of the first entry


class TermList:
    """Sorted texts without line ends, as UTF-8 with a line end after each; in memory or in a mapped file."""

    __slots__ = ("_heads", "ends", "text")

    def __init__(self, text: bytes | memoryview, ends: Integers) -> None:
        """Args: ends: shape (terms + 1,): the start of each term, which is the end of the one before."""
        self.text = text
        self.ends = ends
        self._heads: list[bytes] = []  # every `_TERMS_A_BLOCK`-th term, once one is looked up

    @property
    def size(self) -> int:
        """The number of terms."""
        return len(self.ends) - 1

    def bytes_of(self, first: int, last: int) -> bytes:
        """The terms from `first` to before `last`, with their line ends."""
        return bytes(self.text[int(self.ends[first]) : int(self.ends[last])])

    def at(self, number: int) -> bytes:
        """A term as UTF-8."""
        return self.bytes_of(number, number + 1)[:-1]

    def first_from(self, term: bytes) -> int:
        """The number of the first term that is not below `term`."""
        first, block = self._block(term)
        return first + bisect_left(block, term)

    def number_of(self, term: str) -> int | None:
        """The number of a term; None if it is not among them."""
        key = term.encode()
        first, block = self._block(key)
        number = bisect_left(block, key)
        return first + number if number < len(block) and block[number] == key else None

    def _block(self, term: bytes) -> tuple[int, list[bytes]]:
        """The terms among which `term` has its place, and the number of the first of them."""
        if not self._heads:
            self._heads = [self.at(number) for number in range(0, self.size, _TERMS_A_BLOCK)]
        first = max(bisect_right(self._heads, term) - 1, 0) * _TERMS_A_BLOCK
        return first, self.bytes_of(first, min(first + _TERMS_A_BLOCK, self.size)).split(b"\n")[:-1]


class Table(NamedTuple):
    """The words of some documents, in memory or in a mapped file."""

    terms: TermList
    pairs: Integers  # shape (terms + 1,): the first pair of each term, which is the end of those before
    fields: Integers  # shape (pairs,), ascending for each term
    entries: Integers  # shape (pairs + 1,): the first entry of each pair
    positions_from: Integers  # shape (pairs + 1,): the first position of each pair
    slots: Slots  # shape (entries,)
    counts: Integers  # shape (entries,); empty if positions do not matter
    positions: Integers  # shape (sum of counts,): in the field of the document

    def fields_of(self, number: int | None) -> Iterator[tuple[int, Entries]]:
        """Each field with a term, and the documents that have it there; none if there is no such term."""
        if number is not None:
            first, last = int(self.pairs[number]), int(self.pairs[number + 1])
            for pair, field in zip(range(first, last), self.fields[first:last].tolist(), strict=True):
                yield field, self._entries(pair, pair + 1)

    def in_field(self, number: int | None, field: int) -> Entries | None:
        """The documents with a term in a field; None if there are none."""
        return next((entries for own, entries in self.fields_of(number) if own == field), None)

    def of_term(self, number: int) -> Entries:
        """The documents with a term, in all fields."""
        return self._entries(int(self.pairs[number]), int(self.pairs[number + 1]))

    def _entries(self, first_pair: int, last_pair: int) -> Entries:
        first, last = int(self.entries[first_pair]), int(self.entries[last_pair])
        return Entries(self.slots[first:last], self.counts[first:last], int(self.positions_from[first_pair]))

    def check(self, documents: int, fields: int, forget_pages: Callable[[], None]) -> None:
        """Check that every lookup stays within the arrays.

        Args:
            documents: The number of documents that the table may name.
            fields: Likewise, of fields.
            forget_pages: Called after each part, since all of a large table would take its size in memory.

        Raises:
            ValueError: It does not; UnicodeDecodeError is one.
        """
        if not self._has_sound_bounds():
            raise ValueError(_UNSOUND)
        before = b""
        for bounds in pairwise(self.ranges(_ENTRIES_A_RANGE)):
            part = self.part(*bounds)
            if not part._is_sound(before, documents, fields):
                raise ValueError(_UNSOUND)
            before = part.terms.at(part.terms.size - 1)
            forget_pages()

    def _has_sound_bounds(self) -> bool:
        sizes = len(self.pairs) == self.terms.size + 1 and len(self.counts) in (0, len(self.slots))
        return (
            sizes
            and len(self.entries) == len(self.positions_from) == len(self.fields) + 1
            and _ascends(self.terms.ends, len(self.terms.text))
            and _ascends(self.pairs, len(self.fields))
            and _ascends(self.entries, len(self.slots))
            and _ascends(self.positions_from, len(self.positions))
        )

    def ranges(self, entries: int) -> list[int]:
        """Numbers of terms, from 0 to all, between which there are about so many entries."""
        ends = self.entries[self.pairs]
        inner = np.searchsorted(ends, np.arange(entries, len(self.slots), entries))
        return sorted({0, *inner.tolist(), self.terms.size})

    def _is_sound(self, before: bytes, documents: int, fields: int) -> bool:
        """Return True if a small table in memory does not contradict itself, and its terms are above `before`."""
        terms = str(self.terms.text, "utf-8").split("\n")
        counts = self.counts if len(self.counts) else np.zeros(len(self.slots), np.int64)
        names = [before, *(term.encode() for term in terms[:-1])]
        return (
            len(names) == self.terms.size + 1
            and all(one < other for one, other in pairwise(names))
            and [len(name) + 1 for name in names[1:]] == np.diff(self.terms.ends).tolist()
            and np.array_equal(self.positions_from, np.concatenate([[0], np.cumsum(counts)])[self.entries])
            and not (self.slots >= documents).any()
            and not (self.fields >= fields).any()
        )

    def part(self, first: int, last: int) -> Self:
        """The table of the terms from `first` to before `last`, copied into memory."""
        pairs = self.pairs[first : last + 1].astype(np.int64)
        entries = self.entries[pairs[0] : pairs[-1] + 1].astype(np.int64)
        positions = self.positions_from[pairs[0] : pairs[-1] + 1].astype(np.int64)
        ends = self.terms.ends[first : last + 1].astype(np.int64)
        return self._replace(
            terms=TermList(self.terms.bytes_of(first, last), ends - ends[0]),
            pairs=pairs - pairs[0],
            fields=np.array(self.fields[pairs[0] : pairs[-1]]),
            entries=entries - entries[0],
            positions_from=positions - positions[0],
            slots=np.array(self.slots[entries[0] : entries[-1]]),
            counts=np.array(self.counts[entries[0] : entries[-1]]),
            positions=np.array(self.positions[positions[0] : positions[-1]]),
        )


def _ascends(bounds: Integers, last: int) -> bool:
    return len(bounds) > 0 and bounds[0] == 0 and bounds[-1] == last and bool((bounds[1:] >= bounds[:-1]).all())


class TableBuilder:
    """Collects the words of documents in memory."""

    def __init__(self) -> None:
        self._code_of = defaultdict[str, int](count().__next__)
        self._codes = array("I")  # of all words
        self._runs: list[tuple[int, int, int]] = []  # slot, field, number of words

    def add(self, slot: int, field: int, words: Sequence[str]) -> None:
        """Add the words of a field of a document; documents in ascending order."""
        self._codes.extend(map(self._code_of.__getitem__, words))
        self._runs.append((slot, field, len(words)))

    def table(self, *, with_positions: bool) -> Table:
        """The table of all words."""
        names = sorted(self._code_of)
        rank = np.empty(len(names), np.int64)
        rank[[self._code_of[name] for name in names]] = np.arange(len(names))
        slots, fields, lengths = np.array(self._runs, np.int64).reshape(-1, 3).T
        codes = np.frombuffer(self._codes, np.uint32) if self._codes else np.empty(0, np.uint32)
        positions = np.arange(len(codes)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        keys = _keys(rank[codes], np.repeat(fields, lengths), np.repeat(slots, lengths))
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        firsts = _firsts(keys)
        if with_positions:
            return _table(names, keys[firsts], np.diff(np.append(firsts, len(keys))), positions[order])
        return _table(names, keys[firsts], _NONE, _NONE)


def merged(tables: Sequence[tuple[Table, Slots]]) -> Iterator[Table]:
    """The tables of all documents together, for one range of terms after the other.

    Args:
        tables: Each with the new slot of its documents, -1 = left out.
    """
    largest = max((table for table, _ in tables), key=lambda table: len(table.slots))
    bounds = list(map(largest.terms.at, largest.ranges(max(_ENTRIES_A_RANGE // len(tables), 1))[1:-1]))
    firsts = [[0, *map(table.terms.first_from, bounds), table.terms.size] for table, _ in tables]
    for part in range(len(bounds) + 1):
        ranges = [(first[part], first[part + 1]) for first in firsts]
        yield _merged(
            [(table.part(*own), slots) for (table, slots), own in zip(tables, ranges, strict=True) if own[0] < own[1]]
        )


def _merged(tables: Sequence[tuple[Table, Slots]]) -> Table:
    if not tables:
        return _table([], _NONE, _NONE, _NONE)
    texts = [str(table.terms.text, "utf-8").split("\n")[:-1] for table, _ in tables]
    names = sorted(set[str]().union(*texts))
    rank_of = {name: rank for rank, name in enumerate(names)}
    keys, counts, starts, positions, before = [], [], [], [], 0
    for (table, slots), own in zip(tables, texts, strict=True):
        ranks = np.array([rank_of[name] for name in own], np.int64)
        of_pair = np.repeat(np.arange(len(table.fields)), np.diff(table.entries))
        terms = np.repeat(ranks, np.diff(table.pairs))[of_pair]
        new = slots[table.slots].astype(np.int64)
        stays = new >= 0
        keys.append(_keys(terms, table.fields[of_pair].astype(np.int64), new)[stays])
        if len(table.counts):
            own_counts = table.counts.astype(np.int64)
            counts.append(own_counts[stays])
            starts.append((np.cumsum(own_counts) - own_counts + before)[stays])
            positions.append(table.positions)
            before += len(table.positions)
    all_keys = _drained(keys)
    order = np.argsort(all_keys, kind="stable")
    all_keys = all_keys[order]
    if not counts:
        return _table(names, all_keys, _NONE, _NONE)
    all_counts = _drained(counts)[order]
    spread = spread_out(_drained(starts)[order], all_counts)
    return _table(names, all_keys, all_counts, _drained(positions)[spread])


def _drained(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """The parts as one array; the list is emptied, so that a word of every document is not in memory twice."""
    joined = np.concatenate(parts)
    parts.clear()
    return joined


def spread_out(starts: NDArray[np.int64], counts: Integers) -> Integers:
    """The numbers from each start on, as many as its count, one after the other."""
    offsets, total = starts - (np.cumsum(counts) - counts), int(counts.sum())
    # A word of every document of a large site has millions of positions.
    is_small = max(total, int(starts.max(initial=0)) + total) < 1 << 31
    numbers = np.repeat(offsets.astype(np.int32 if is_small else np.int64), counts)
    numbers += np.arange(total, dtype=numbers.dtype)
    return numbers


def _firsts(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """The first position of each number in a sorted array."""
    is_first = np.ones(len(numbers), np.bool_)
    is_first[1:] = numbers[1:] != numbers[:-1]
    return np.flatnonzero(is_first).astype(np.int64)


def _keys(terms: NDArray[np.int64], fields: NDArray[np.int64], slots: NDArray[np.int64]) -> NDArray[np.int64]:
    return (terms << (_FIELD_BITS + _SLOT_BITS)) | (fields << _SLOT_BITS) | slots


def _table(names: list[str], keys: NDArray[np.int64], counts: Integers, positions: Integers) -> Table:
    """The table of sorted keys of entries; names without an entry are dropped."""
    pairs = keys >> _SLOT_BITS
    firsts = _firsts(pairs)
    terms = pairs[firsts] >> _FIELD_BITS
    first_pairs = _firsts(terms)
    encoded = [names[number].encode() + b"\n" for number in terms[first_pairs].tolist()]
    starts = np.concatenate([[0], np.cumsum(counts)])
    entries = np.append(firsts, len(keys))
    return Table(
        TermList(b"".join(encoded), np.cumsum([0, *map(len, encoded)])),
        np.append(first_pairs, len(firsts)),
        (pairs[firsts] & ((1 << _FIELD_BITS) - 1)).astype(np.uint8),
        entries,
        starts[entries] if len(counts) else np.zeros(len(entries), np.int64),
        narrow(keys & ((1 << _SLOT_BITS) - 1)),
        narrow(counts),
        narrow(positions),
    )
