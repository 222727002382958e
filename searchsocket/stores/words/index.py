"""The words of a generation: what its packs contain of a term, counted over the records that it uses.

A pack may have records that the generation does not use; they count nowhere. So answers depend on the records only,
and not on the packs that earlier runs have left.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from searchsocket.stores.base import Letters
from searchsocket.stores.bounded import BoundedCache
from searchsocket.stores.words.fields import EXACT, LOOSE, PLAIN, RECORD_FIELDS, SCORED_FIELDS
from searchsocket.stores.words.pack_words import PackWords
from searchsocket.stores.words.tables import Entries, Table, spread_out
from searchsocket.text.words import UNSPACED

Rows = NDArray[np.int64]  # positions of records in the generation, in path order
Counts = NDArray[np.int64]

_CUT_CHARS = 32  # the vocabulary contains longer words in pieces of this length
_MAX_FIELDS = 256
_MAX_CACHED = 8_192  # terms, since queries share words
_LAST = b"\xff"  # sorts after all that may follow in a term
_PLACE_BITS = 32  # of a place with its field and row
_UNSPACED_WORD = re.compile(rf"^[{UNSPACED}].*\n", re.MULTILINE)


class WordPack(NamedTuple):
    """The words of a pack, and the row of each of its records; -1 = the generation does not use it."""

    words: PackWords
    rows: Rows
    is_whole: bool  # every record is used

    @classmethod
    def of(cls, words: PackWords, slots: Rows, rows: Rows) -> Self:
        """A pack of which some slots are used, each by a row."""
        row_of_slot = np.full(words.records, -1, np.int64)
        row_of_slot[slots] = rows
        return cls(words, row_of_slot, len(rows) == words.records)


class Matches(NamedTuple):
    """The records that contain some terms, term by term; a record has one match per term and field."""

    term: NDArray[np.int64]  # number of the term
    field: NDArray[np.uint8]
    rows: Rows
    counts: Counts
    by_field: Counts  # shape (terms, scored fields): the number of records with each term


class WordIndex:
    """Lookups over all packs of a generation; safe to share between threads."""

    def __init__(self, packs: Sequence[WordPack], count: int) -> None:
        """Args: count: the number of records, hidden ones included."""
        self.packs = packs
        self.count = count
        self._numbers = BoundedCache[str, Sequence[int | None]](_MAX_CACHED)  # of terms, in each pack

    def lengths(self) -> NDArray[np.int64]:
        """The number of words in each scored field of each record; shape (fields, records)."""
        lengths = np.zeros((len(SCORED_FIELDS), self.count), np.int64)
        for words, rows, _ in self.packs:
            is_used = rows >= 0
            lengths[:, rows[is_used]] = words.lengths[:, is_used]
        return lengths

    def matches(self, terms: Sequence[str]) -> Matches:
        """The records that contain each of the terms in scored fields, with the count of it in each."""
        numbers = list(zip(*map(self._numbers_of, terms), strict=True))
        parts = [_matches(pack, own) for pack, own in zip(self.packs, numbers, strict=True)]
        term, field, rows, counts = parts[0] if len(parts) == 1 else _in_order(parts)
        shape = len(terms), len(SCORED_FIELDS)
        by_field = np.bincount(term * shape[1] + field, minlength=shape[0] * shape[1]).reshape(shape)
        return Matches(term, field, rows, counts, by_field)

    def has(self, term: str) -> bool:
        """Return True if a record contains the term in a scored field."""
        for (words, rows, is_whole), number in zip(self.packs, self._numbers_of(term), strict=True):
            if number is not None and (is_whole or (rows[words.scored.of_term(number).slots] >= 0).any()):
                return True
        return False

    def _numbers_of(self, term: str) -> Sequence[int | None]:
        """The number of a term in each pack."""
        numbers = self._numbers.values.get(term)
        if numbers is None:
            numbers = [pack.words.scored.terms.number_of(term) for pack in self.packs]
            self._numbers.remember_one(term, numbers)
        return numbers

    def rows_with(self, field: int, term: str) -> Rows:
        """The records that have a term in an exact field, in no particular order."""
        parts = [_NO_ROWS]
        for words, rows, _ in self.packs:
            if (own := words.exact.in_field(words.exact.terms.number_of(term), field)) is not None:
                parts.append(rows[own.slots])
        found = np.concatenate(parts)
        return found[found >= 0]

    def rows_with_token(self, token: str) -> Rows:
        """The records whose text has an exact token."""
        plain = np.setdiff1d(self.rows_with(PLAIN, token), self.rows_with(LOOSE, token))
        return np.concatenate([plain, self.rows_with(EXACT, token)])

    def places(self, term: str, fields: Sequence[int], among: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The places of a term, in ascending order: of two neighbours, the second has the next number.

        Args:
            among: The rows that count; shape (records,).
        """
        parts = []
        for (words, rows, _), number in zip(self.packs, self._numbers_of(term), strict=True):
            for field in fields:
                if (own := words.scored.in_field(number, field)) is not None:
                    parts.append(_places(words.scored, own, rows, field * self.count, among))
        return np.sort(np.concatenate(parts)) if parts else _NO_ROWS

    def rows_of_places(self, places: NDArray[np.int64]) -> Rows:
        """The row of each place."""
        return (places >> _PLACE_BITS) % max(self.count, 1)

    def prefixed(self, table: str, fields: Sequence[int], prefix: str) -> dict[str, int]:
        """The terms that begin with a prefix, and the number of records with each, added up over the fields."""
        low = prefix.encode()
        counts: dict[str, int] = {}
        for pack in self.packs:
            own: Table = getattr(pack.words, table)
            terms = own.terms.first_from(low), own.terms.first_from(low + _LAST)
            _count(own, terms, None if pack.is_whole else pack.rows, fields, counts)
        return counts

    def containing(self, letters: Letters) -> Rows:
        """Records with a word that equals these letters or, if they may be part of a word, may contain them."""
        if letters.is_word:
            return self.rows_with(PLAIN, letters.letters)
        parts = [_NO_ROWS]
        part = re.compile(rf"^.*{re.escape(letters.letters)}.*\n|^.{{{_CUT_CHARS}}}\n", re.MULTILINE)
        for words, rows, _ in self.packs:
            parts += [rows[own.slots] for own in _matching(words.exact, part, (PLAIN,))]
            # The vocabulary does not contain words of scripts without spaces.
            parts += [rows[own.slots] for own in _matching(words.scored, _UNSPACED_WORD, range(len(RECORD_FIELDS)))]
        found = np.unique(np.concatenate(parts))
        return found[found >= 0]


_NO_ROWS: Rows = np.empty(0, np.int64)
_Match = tuple[NDArray[np.int64], NDArray[np.uint8], Rows, Counts]  # the first columns of `Matches`


def _matches(pack: WordPack, numbers_of_terms: Sequence[int | None]) -> _Match:
    """The matches of a pack, by term and field."""
    table, rows = pack.words.scored, pack.rows
    found = [(at, number) for at, number in enumerate(numbers_of_terms) if number is not None]
    if not found:
        return _NO_ROWS, np.empty(0, np.uint8), _NO_ROWS, _NO_ROWS
    at, numbers = np.array(found, np.int64).T
    first_pairs, pair_counts = _ranges(table.pairs, numbers)
    pairs = spread_out(first_pairs, pair_counts)
    first_entries, entry_counts = _ranges(table.entries, pairs)
    entries = spread_out(first_entries, entry_counts)
    of_entries = rows[table.slots[entries]]
    columns = (
        np.repeat(np.repeat(at, pair_counts), entry_counts),
        np.repeat(table.fields[pairs], entry_counts),
        of_entries,
        table.counts[entries].astype(np.int64),
    )
    if pack.is_whole:
        return columns
    is_used = of_entries >= 0
    return columns[0][is_used], columns[1][is_used], columns[2][is_used], columns[3][is_used]


def _ranges(
    bounds: NDArray[np.integer[Any]], numbers: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first of the things of each number, and how many there are."""
    starts = bounds[numbers].astype(np.int64)
    return starts, bounds[numbers + 1] - starts


def _in_order(parts: Sequence[_Match]) -> _Match:
    """The matches of several packs, by term."""
    term, field, rows, counts = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(term, kind="stable")
    return term[order], field[order], rows[order], counts[order]


def _places(table: Table, own: Entries, rows: Rows, offset: int, among: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The places of a pair of term and field in some rows."""
    of_entries = rows[own.slots]
    counts = own.counts.astype(np.int64)
    starts = np.cumsum(counts) - counts + own.first_place
    wanted = np.flatnonzero((of_entries >= 0) & among[of_entries])
    of_place = np.repeat(of_entries[wanted] + offset, counts[wanted])
    return (of_place << _PLACE_BITS) + table.places[spread_out(starts[wanted], counts[wanted])]


def _count(
    table: Table, terms: tuple[int, int], rows: Rows | None, fields: Sequence[int], counts: dict[str, int]
) -> None:
    """Add the number of used records of each of a range of terms; rows are None if all are used."""
    first, last = terms
    if first == last:
        return
    pairs = table.pairs[first : last + 1].astype(np.int64)
    entries = table.entries[pairs[0] : pairs[-1] + 1].astype(np.int64)
    ends = entries - entries[0]
    if rows is not None:
        ends = _sums(rows[table.slots[entries[0] : entries[-1]]] >= 0)[ends]
    is_chosen = np.zeros(_MAX_FIELDS, np.bool_)
    is_chosen[list(fields)] = True
    of_pairs = np.diff(ends) * is_chosen[table.fields[pairs[0] : pairs[-1]]]
    of_terms = np.diff(_sums(of_pairs)[pairs - pairs[0]])
    names = str(table.terms.bytes_of(first, last), "utf-8").split("\n")
    for number in np.flatnonzero(of_terms).tolist():
        counts[names[number]] = counts.get(names[number], 0) + int(of_terms[number])


def _sums(numbers: NDArray[Any]) -> NDArray[np.int64]:
    """The sum of the numbers before each, and of all."""
    sums = np.zeros(len(numbers) + 1, np.int64)
    np.cumsum(numbers, out=sums[1:])
    return sums


def _matching(table: Table, pattern: re.Pattern[str], fields: Sequence[int]) -> Iterator[Entries]:
    """The entries of all terms that match a pattern, in some fields."""
    text = str(table.terms.text, "utf-8")
    starts = [match.start() for match in pattern.finditer(text)]
    if not starts:
        return
    firsts = np.cumsum([0, *(len(term) + 1 for term in text.split("\n")[:-1])])  # of the terms, in characters
    for number in np.searchsorted(firsts, starts).tolist():
        for field in fields:
            if (own := table.in_field(number, field)) is not None:
                yield own
