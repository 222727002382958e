"""The words of a generation: what its packs contain of a term, counted over the records that it uses.

A pack may have records that the generation does not use; they count nowhere. So answers depend on the records only,
and not on the packs that earlier runs have left.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from searchsocket.stores.base.index_reader import Letters
from searchsocket.stores.bounded import BoundedCache
from searchsocket.stores.words.pack_words import EXACT, LOOSE, PLAIN, RECORD_FIELDS, SCORED_FIELDS, PackWords
from searchsocket.stores.words.tables import Entries, Slots, Table, spread_out
from searchsocket.system.arrays import Integers
from searchsocket.text.words import UNSPACED

Rows = NDArray[np.int64]  # positions of records in the generation, in path order
Counts = NDArray[np.int64]

_CUT_CHARS = 32  # the vocabulary contains longer words in pieces of this length
_MAX_FIELDS = 256
_MAX_CACHED = 8_192  # terms, since queries share words
_LAST = b"\xff"  # sorts after all that may follow in a term
_POSITION_BITS = 32  # the field and row of a position are above them
_UNSPACED_WORD = re.compile(rf"^[{UNSPACED}].*\n", re.MULTILINE)


class Occurrences(NamedTuple):
    """The records with a term in a field, and the count of it in each; no record twice."""

    rows: Rows
    counts: Integers


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

    def used(self, entries: Entries) -> Occurrences:
        """The entries of used records."""
        rows, counts = self.rows[entries.slots], entries.counts
        if self.is_whole:
            return Occurrences(rows, counts)
        is_used = rows >= 0
        return Occurrences(rows[is_used], counts[is_used])


class WordIndex:
    """Lookups over all packs of a generation; safe to share between threads."""

    def __init__(self, packs: Sequence[WordPack], count: int) -> None:
        """Args: count: the number of records, hidden ones included."""
        self.packs = packs
        self.count = count
        self._packs = np.zeros(count, np.uint8)  # of each row, the number of its pack
        self._slots = np.zeros(count, np.uint32)  # and its slot there
        for number, (_, rows, _) in enumerate(packs):
            slots = np.flatnonzero(rows >= 0)
            self._packs[rows[slots]], self._slots[rows[slots]] = number, slots
        self._numbers = BoundedCache[str, Sequence[int | None]](_MAX_CACHED)  # of terms, in each pack

    def lengths(self) -> NDArray[np.int64]:
        """The number of words in each scored field of each record; shape (fields, records)."""
        lengths = np.zeros((len(SCORED_FIELDS), self.count), np.int64)
        for words, rows, _ in self.packs:
            is_used = rows >= 0
            lengths[:, rows[is_used]] = words.lengths[:, is_used]
        return lengths

    def occurrences(self, term: str) -> dict[int, Occurrences]:
        """The records with a term, by scored field; a field without any is left out."""
        parts: dict[int, list[Occurrences]] = {}
        for pack, number in zip(self.packs, self._numbers_of(term), strict=True):
            for field, own in pack.words.scored.fields_of(number):
                if len((used := pack.used(own)).rows):
                    parts.setdefault(field, []).append(used)
        return {field: own[0] if len(own) == 1 else _joined(own) for field, own in parts.items()}

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
        of_packs = np.concatenate(parts)
        return of_packs[of_packs >= 0]

    def rows_with_token(self, token: str) -> Rows:
        """The records whose text has an exact token."""
        plain = np.setdiff1d(self.rows_with(PLAIN, token), self.rows_with(LOOSE, token))
        return np.concatenate([plain, self.rows_with(EXACT, token)])

    def positions(self, term: str, fields: Sequence[int], rows: Rows) -> NDArray[np.int64]:
        """The positions of a term in some distinct rows, ascending, as numbers: neighbours have successive ones."""
        parts = []
        for at, (pack, number) in enumerate(zip(self.packs, self._numbers_of(term), strict=True)):
            if number is not None:
                slots = self._slots[rows[self._packs[rows] == at]]
                for field, own in pack.words.scored.fields_of(number):
                    if field in fields:
                        parts.append(_positions(pack, own, slots, field * self.count))
        return np.sort(np.concatenate(parts)) if parts else _NO_ROWS

    def rows_of(self, positions: NDArray[np.int64]) -> Rows:
        """The row of each position."""
        return (positions >> _POSITION_BITS) % max(self.count, 1)

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
        of_packs = np.unique(np.concatenate(parts))
        return of_packs[of_packs >= 0]


_NO_ROWS: Rows = np.empty(0, np.int64)


def _joined(parts: Sequence[Occurrences]) -> Occurrences:
    return Occurrences(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _positions(pack: WordPack, own: Entries, slots: Slots, offset: int) -> NDArray[np.int64]:
    """The positions of a term and field in the records of some slots."""
    at = np.searchsorted(own.slots, slots)
    at = at[own.slots[np.minimum(at, len(own.slots) - 1)] == slots]
    counts = own.counts[at].astype(np.int64)
    starts = np.cumsum(own.counts, dtype=np.int64)[at] - counts + own.first_position
    rows = np.repeat(pack.rows[own.slots[at]] + offset, counts)
    return (rows << _POSITION_BITS) + pack.words.scored.positions[spread_out(starts, counts)]


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


def _sums(numbers: NDArray[np.integer | np.bool]) -> NDArray[np.int64]:
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
