"""The words of a pack: one file next to its records and vectors, written once and mapped by every reader.

The file begins with the length of its header. The header is JSON and lists each array: type, shape and offset.
"""

import json
import mmap
import shutil
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, NamedTuple, Self

import numpy as np

from searchsocket.stores.words.tables import Slots, Table, TermList, merged
from searchsocket.system.arrays import Integers, narrow

RECORD_FIELDS = ("title", "headings", "links", "path", "body", "code")  # searched, see `keywords.BOOSTS`
SCORED_FIELDS = (*RECORD_FIELDS, "own")  # all that have positions
TITLE, HEADINGS, LINKS, PATH, BODY, CODE, OWN = range(7)  # own: of a record, its own headings or its name
# Fields that are never scored. The exact words of a text (`text/exact.py`) and the words of its vocabulary are mostly
# the same, so common words are stored once.
EXACT_FIELDS = ("plain", "exact", "loose", "names", "page names")
PLAIN = 0  # the vocabulary of a record, see `spellings`
EXACT = 1  # exact words of its text that its vocabulary does not contain
LOOSE = 2  # words of its vocabulary that its text does not contain exactly
NAMES = 3  # of its own headings
PAGE_NAMES = 4  # names and URL of its page


_HEADER_BYTES = 8  # the length of the header
_ALIGNED = 8
_COLUMNS = ("text", "ends", *Table._fields[1:])
_RUNNING = ("ends", "pairs", "entries", "positions_from")  # columns whose numbers go on from one part to the next
_TABLES = ("scored", "exact")


class PackWords(NamedTuple):
    """The words of a pack's records; the slot of a record is its position in the pack."""

    scored: Table  # words that count for ranking, with positions
    exact: Table  # terms that a record has or lacks
    lengths: Integers  # shape (scored fields, records): number of words
    mapped: mmap.mmap | None = None  # file

    @property
    def records(self) -> int:
        """The number of records."""
        return int(self.lengths.shape[1])

    @classmethod
    def open(cls, path: Path) -> Self:
        """Map a file; the words stay readable after it is deleted.

        Raises:
            OSError: It cannot be read.
            ValueError, LookupError, TypeError: It is damaged.
        """
        with open(path, "rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        start = _HEADER_BYTES + int.from_bytes(data[:_HEADER_BYTES], "little")
        arrays = {}
        for name, (kind, shape, offset) in json.loads(data[_HEADER_BYTES:start]).items():
            count = int(np.prod(shape))
            arrays[name] = np.frombuffer(data, kind, count, _aligned(start) + offset).reshape(shape)
        scored, exact = (_table(name, arrays) for name in _TABLES)
        return cls(scored, exact, arrays["lengths"], data)

    def check(self) -> None:
        """Check that every lookup stays within the file, which may be from another machine.

        Raises:
            ValueError: It does not.
        """
        self.scored.check(self.records, len(SCORED_FIELDS), self.forget_pages)
        self.exact.check(self.records, len(EXACT_FIELDS), self.forget_pages)
        if len(self.lengths) != len(SCORED_FIELDS):
            raise ValueError("the lengths are not those of these fields")

    def forget_pages(self) -> None:
        """Tell the system that mapped pages are not needed for now, so that they do not count as memory."""
        if self.mapped is not None:
            self.mapped.madvise(mmap.MADV_DONTNEED)


def _table(name: str, arrays: dict[str, Integers]) -> Table:
    text, ends, *columns = (arrays[f"{name}.{column}"] for column in _COLUMNS)
    return Table(TermList(text.data, ends), *columns)


def write_words(path: Path, packs: Sequence[tuple[PackWords, Slots]], records: int) -> None:
    """Write the words of all records of several packs into a new file; the caller syncs it.

    Args:
        packs: Each with the new slot of its records, -1 = left out.
        records: The number of all new slots.
    """
    kinds = {
        "slots": np.dtype(np.min_scalar_type(max(records - 1, 0))),
        "counts": _kind(table.counts for words, _ in packs for table in (words.scored, words.exact)),
        "positions": _kind(table.positions for words, _ in packs for table in (words.scored, words.exact)),
        "fields": np.dtype(np.uint8),
        "text": np.dtype(np.uint8),
    }
    with ExitStack() as files:
        columns = {"lengths": _lengths(packs, records, files.enter_context(_temporary(path)))}
        for name in _TABLES:
            own = {
                column: _Column(files.enter_context(_temporary(path)), kinds.get(column, np.dtype(np.uint32)))
                for column in _COLUMNS
            }
            for column in _RUNNING:
                own[column].add(np.zeros(1, np.int64))
            for table in merged([(getattr(words, name), slots) for words, slots in packs]):
                _add(own, table)
                for words, _ in packs:
                    words.forget_pages()
            columns |= {f"{name}.{column}": one for column, one in own.items()}
        _write(path, columns, len(SCORED_FIELDS))


def concatenated(path: Path, packs: Sequence[PackWords]) -> PackWords:
    """The words of several packs, one after the other, mapped from a temporary file that is already deleted.

    Args:
        path: A file that does not exist.
    """
    ends = np.cumsum([0, *(words.records for words in packs)]).tolist()
    slots = [np.arange(*bounds) for bounds in pairwise(ends)]
    write_words(path, list(zip(packs, slots, strict=True)), ends[-1])
    words = PackWords.open(path)
    path.unlink()
    return words


class _Column:
    """An array on disk that grows."""

    def __init__(self, file: IO[bytes], kind: np.dtype[np.integer]) -> None:
        self.file, self.kind = file, kind
        self.count = self.last = 0

    def add(self, array: Integers) -> None:
        self.file.write(np.ascontiguousarray(array, self.kind).tobytes())
        self.count += array.size
        self.last = int(array.flat[-1]) if array.size else self.last


def _lengths(packs: Sequence[tuple[PackWords, Slots]], records: int, file: IO[bytes]) -> _Column:
    """The lengths of all records, in the smallest type."""
    lengths = np.zeros((len(SCORED_FIELDS), records), _kind(words.lengths for words, _ in packs))
    for words, slots in packs:
        lengths[:, slots[slots >= 0]] = words.lengths[:, slots >= 0]
    column = _Column(file, narrow(lengths.ravel()).dtype)
    column.add(lengths)
    return column


def _add(columns: dict[str, _Column], table: Table) -> None:
    """Append a table whose terms sort after all before."""
    terms = table.terms
    values = (np.frombuffer(terms.text, np.uint8), terms.ends, *table[1:])
    for name, own in zip(_COLUMNS, values, strict=True):
        columns[name].add(own[1:] + columns[name].last if name in _RUNNING else own)


def _write(path: Path, columns: dict[str, _Column], rows_of_lengths: int) -> None:
    header: dict[str, tuple[str, list[int], int]] = {}
    offset = 0
    for name, column in columns.items():
        shape = [rows_of_lengths, column.count // rows_of_lengths] if name == "lengths" else [column.count]
        header[name] = column.kind.str, shape, offset
        offset = _aligned(offset + column.count * column.kind.itemsize)
    encoded = json.dumps(header).encode()
    start = _aligned(_HEADER_BYTES + len(encoded))
    with open(path, "xb") as file:
        file.write(len(encoded).to_bytes(_HEADER_BYTES, "little") + encoded)
        for name, column in columns.items():
            file.write(bytes(start + header[name][2] - file.tell()))
            column.file.seek(0)
            shutil.copyfileobj(column.file, file)


def _temporary(path: Path) -> IO[bytes]:
    return TemporaryFile(dir=path.parent)


def _kind(arrays: Iterable[Integers]) -> np.dtype[np.integer]:
    """The smallest type that all numbers fit, by the types of the arrays: reading them all would take memory."""
    return np.result_type(np.uint8, *(array.dtype for array in arrays))


def _aligned(offset: int) -> int:
    return -(-offset // _ALIGNED) * _ALIGNED
