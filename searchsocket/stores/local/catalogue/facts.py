"""The columns of a generation's records that ranking needs, in memory: about 20 bytes per record, and the texts.

The rows with a label are computed from these columns, without a file or table of their own.
"""

import json
from array import array
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from itertools import pairwise
from typing import Any, BinaryIO, Self, get_type_hints

import numpy as np
from numpy.typing import NDArray

from searchsocket.stores.base.index_reader import Facts
from searchsocket.stores.base.labels import KIND, LANGUAGE, kind_label, language_labels
from searchsocket.stores.bounded import BoundedCache
from searchsocket.stores.local.catalogue.columns import SqlRow
from searchsocket.stores.local.catalogue.records import path_key
from searchsocket.stores.local.numbering import Rows
from searchsocket.system.arrays import Integers, load_arrays, narrow
from searchsocket.system.compressed import packed_bytes, unpacked_bytes
from searchsocket.text.facets import split_label

# Columns of records: first those of `Facts`. The texts repeat, since pages have several records.
_RANKED_TYPES = {name: kind for name, kind in get_type_hints(Facts).items() if name != "order"}
RANKED = tuple(name for name, kind in _RANKED_TYPES.items() if kind == Sequence[str])
TEXTS = (*RANKED, "language", "facets", "tags", "route_resolution")  # after those of ranking: for filters and counts
RANKED_NUMBERS = tuple(name for name in _RANKED_TYPES if name not in RANKED)
_REALS = frozenset(name for name in RANKED_NUMBERS if _RANKED_TYPES[name] == NDArray[np.float64])
NUMBERS = (*RANKED_NUMBERS, "ordinal")
COLUMNS = (*TEXTS, *NUMBERS)
# As expressions over the columns of records.
SELECTED = ", ".join(COLUMNS).replace("anchor", "coalesce(at_anchor, format('L%d-L%d', at_first, at_last))")
_MAX_DECODED = 8_192  # texts of a column that stay decoded, under 1 MB: queries return the same pages often
_FACETS, _TAGS = "facets", "tags"
# For each column, the labels of a row by the text of the row in that column.
_LABELS: Mapping[str, Callable[[str], Iterable[str]]] = {
    KIND: lambda text: (kind_label(text),),
    LANGUAGE: language_labels,
    _FACETS: json.loads,
    _TAGS: json.loads,
}


@dataclass(frozen=True, slots=True)
class TextColumn:
    """A column of texts: each distinct text once, and its code for each row."""

    codes: Integers  # shape (rows,), unsigned
    joined: bytes  # the texts as UTF-8, one after the other
    bounds: NDArray[np.int64]  # shape (texts + 1,): the start of each text, which is the end of the one before
    _decoded: BoundedCache[int, str] = field(  # some texts, by code
        default_factory=lambda: BoundedCache(_MAX_DECODED), compare=False, repr=False
    )

    @classmethod
    def of(cls, codes: Rows, texts: Iterable[str]) -> Self:
        """Build a column from the code of each row and the text of each code."""
        encoded = [text.encode() for text in texts]
        bounds = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
        return cls(narrow(codes), b"".join(encoded), bounds)

    def take(self, rows: Rows) -> list[str]:
        """The text of each row."""
        codes = self.codes[rows].tolist()
        try:
            return list(map(self._decoded.values.__getitem__, codes))
        except KeyError:
            decoded = self._decoded.values.get
            return [text if (text := decoded(code)) is not None else self._text(code) for code in codes]

    def at(self, row: int) -> str:
        """The text of a row."""
        code = int(self.codes[row])
        text = self._decoded.values.get(code)
        return self._text(code) if text is None else text

    def _text(self, code: int) -> str:
        text = self.joined[self.bounds[code] : self.bounds[code + 1]].decode()
        self._decoded.remember_one(code, text)
        return text

    def merged(self, other: Self, rows: Rows) -> Self:
        """The texts of `rows`; the rows of `other` have the numbers after those of this column."""
        code_of: dict[str, int] = {}
        common = [code_of.setdefault(text, len(code_of)) for column in (self, other) for text in column.distinct()]
        codes = np.concatenate([self.codes.astype(np.int64), other.codes.astype(np.int64) + len(self.bounds) - 1])
        codes = np.array(common, np.int64)[codes[rows]]
        is_used = np.zeros(len(code_of), np.bool_)
        is_used[codes] = True
        texts = list(code_of)
        return self.of((np.cumsum(is_used) - 1)[codes], [texts[code] for code in np.flatnonzero(is_used).tolist()])

    def distinct(self) -> list[str]:
        """Each text once."""
        return [self.joined[start:end].decode() for start, end in pairwise(self.bounds.tolist())]


@dataclass(frozen=True, slots=True)
class FactTable:
    """The facts of all records, one row per record."""

    texts: Mapping[str, TextColumn]
    numbers: Mapping[str, NDArray[Any]]

    @classmethod
    def of(cls, rows: Iterable[SqlRow]) -> Self:
        """The table of rows of `COLUMNS`, which may be a stream."""
        distinct: tuple[dict[str, int], ...] = tuple({} for _ in TEXTS)
        columns = [array("I") for _ in TEXTS] + [array("d" if name in _REALS else "q") for name in NUMBERS]
        for row in rows:
            for column, value in enumerate(row):
                texts = distinct[column] if column < len(distinct) else None
                columns[column].append(value if texts is None else texts.setdefault(value, len(texts)))
        arrays = dict(zip(COLUMNS, map(np.asarray, columns), strict=True))
        return cls(
            {name: TextColumn.of(arrays[name], texts) for name, texts in zip(TEXTS, distinct, strict=True)},
            {name: arrays[name] if name in _REALS else narrow(arrays[name]) for name in NUMBERS},
        )

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weight of the page of each record."""
        return self.numbers["weight"]

    def take(self, rows: Rows) -> Facts:
        """The facts of some rows, in their order; rows are in path order."""
        texts: dict[str, Any] = {name: self.texts[name].take(rows) for name in RANKED}
        numbers: dict[str, Any] = {name: self.numbers[name][rows] for name in RANKED_NUMBERS}
        return Facts(**texts, **numbers, order=rows)

    def first_row_from(self, key: bytes) -> int:
        """The first row whose `path_key` is not below `key`."""
        urls = self.texts["url"]
        return bisect_left(range(len(self.weights)), key, key=lambda row: path_key(urls.at(row)))

    def rows_of_page(self, key: bytes) -> Rows:
        """The rows of the page whose `path_key` this is, by ordinal and id."""
        return np.arange(self.first_row_from(key), self.first_row_from(key + b"\0"))

    def routes(self) -> dict[str, int]:
        """The number of pages per route resolution."""
        resolutions = self.texts["route_resolution"]
        urls, names = self.texts["url"], resolutions.distinct()
        is_pair = np.zeros((len(names), len(urls.bounds) - 1), np.bool_)
        is_pair[resolutions.codes, urls.codes] = True
        counts: list[int] = is_pair.sum(axis=1).tolist()
        return dict(sorted((name, count) for name, count in zip(names, counts, strict=True) if count))

    def merged(self, other: Self, rows: Rows) -> Self:
        """The table of `rows`; the rows of `other` have the numbers after those of this table."""
        texts = {name: column.merged(other.texts[name], rows) for name, column in self.texts.items()}
        both = {name: np.concatenate([column, other.numbers[name]])[rows] for name, column in self.numbers.items()}
        return type(self)(texts, both)


def write_facts(file: BinaryIO, table: FactTable) -> None:
    """Write a table as numpy's `.npz`, compressed; equal tables give equal bytes."""
    arrays: dict[str, NDArray[np.number]] = dict(table.numbers)
    for name, column in table.texts.items():
        arrays[name] = column.codes
        arrays[f"{name}_texts"] = np.frombuffer(column.joined, np.uint8)
        arrays[f"{name}_bounds"] = column.bounds
    table_file = BytesIO()
    np.savez(table_file, allow_pickle=False, **arrays)
    file.write(packed_bytes(table_file.getvalue()))


def read_facts(data: bytes) -> FactTable:
    """The table of a file's bytes. A column that an older release did not write is "" or 0.

    Raises:
        ValueError, LookupError: The bytes are not a valid table.
    """
    arrays = load_arrays(unpacked_bytes(data))
    nothing = np.zeros(len(arrays["url"]), np.int64)
    texts = {
        name: TextColumn(arrays[name], arrays[f"{name}_texts"].tobytes(), arrays[f"{name}_bounds"])
        if name in arrays
        else TextColumn.of(nothing, [""])
        for name in TEXTS
    }
    return FactTable(texts, {name: arrays.get(name, nothing) for name in NUMBERS})


class LabelledRows:
    """The labels of all rows, hidden ones included; safe to share between threads."""

    def __init__(self, texts: Mapping[str, TextColumn]) -> None:
        """Args: texts: columns of every row, by name."""
        self._texts = texts
        self._codes: dict[str, dict[str, list[int]]] = {}  # per column, once a query needs it: label -> codes of texts
        self._facet_names: frozenset[str] | None = None  # read by every query

    def any_of(self, group: Sequence[str]) -> NDArray[np.bool_]:
        """Rows with one of these labels; shape (rows,)."""
        name = split_label(group[0])[0]
        return self._carries(name if name in (KIND, LANGUAGE) else _FACETS, group)

    def tagged(self, tag: str) -> NDArray[np.bool_]:
        """Rows with a tag; shape (rows,)."""
        return self._carries(_TAGS, [tag])

    def _carries(self, name: str, group: Sequence[str]) -> NDArray[np.bool_]:
        column, codes = self._texts[name], self._codes_of(name)
        matches = np.zeros(len(column.bounds) - 1, np.bool_)
        for label in group:
            matches[codes.get(label, [])] = True
        carries: NDArray[np.bool_] = matches[column.codes]
        return carries

    def facets_of(self, rows: Rows) -> list[tuple[str, ...]]:
        """The facets of each row's page."""
        from pydantic_core import from_json  # needed only to count or filter by facets

        return [tuple(from_json(text)) for text in self._texts[_FACETS].take(rows)]

    def languages_of(self, rows: Rows) -> list[str]:
        """The language of each row's page."""
        return self._texts[LANGUAGE].take(rows)

    def facet_labels(self) -> Collection[str]:
        """The facets of all pages, each once."""
        return self._codes_of(_FACETS).keys()

    def facet_names(self) -> frozenset[str]:
        """The names of the facets of all pages."""
        if self._facet_names is None:
            self._facet_names = frozenset(split_label(label)[0] for label in self._codes_of(_FACETS))
        return self._facet_names

    def languages(self) -> frozenset[str]:
        """The languages of all pages."""
        return frozenset(filter(None, self._texts[LANGUAGE].distinct()))

    def _codes_of(self, name: str) -> dict[str, list[int]]:
        codes = self._codes.get(name)
        if codes is None:
            codes = {}
            for code, text in enumerate(self._texts[name].distinct()):
                for label in _LABELS[name](text):
                    codes.setdefault(label, []).append(code)
            self._codes[name] = codes  # two threads may both compute it, with the same result
        return codes
