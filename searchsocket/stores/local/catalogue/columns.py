"""Convert records to columns of SQLite and back. The columns are derived from the types: a new field is a new column.

A fact of the page has its own name. Fields that only prose or only code has are NULL in rows of the other. `body` and
`at` contain the name of the type; `body_text` or `at_anchor` are fields of that type.
"""

import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import lru_cache
from json.encoder import encode_basestring
from typing import Any, NamedTuple, TypeAlias, TypeVar, get_args, get_origin, get_type_hints

from searchsocket.text.hidden import storable
from searchsocket.types import Chunk, Generation, PageFacts, Record

_OF_GENERATION = ("project_id", "scope", "model_id")  # the same in every record, so the manifest contains them
_SQL: dict[object, str] = {int: "INTEGER", float: "REAL"}
T = TypeVar("T")
SqlRow: TypeAlias = Sequence[Any]  # as sqlite3 returns it
OF_GENERATION = 2  # the first columns depend on the generation: id and hash of the record
_record: Callable[..., Record] = Record  # with columns in the order of the fields
_chunk: Callable[..., Chunk] = Chunk
_SHA256 = re.compile(r"[0-9a-f]{64}")
_HASH_COLUMNS = frozenset({"content_hash", "record_hash"})


class _Column(NamedTuple):
    name: str
    field: str
    is_list: bool  # stored as JSON
    sql: str


def _column(field: str, kind: object, prefix: str = "") -> _Column:
    name = prefix + field
    null = "" if prefix else " NOT NULL"
    return _Column(name, field, get_origin(kind) is tuple, f"{name} {_SQL.get(kind, 'TEXT')}{null}")


def _columns(owner: type, names: Sequence[str], prefix: str = "") -> tuple[_Column, ...]:
    hints = get_type_hints(owner)
    return tuple(_column(name, hints[name], prefix) for name in names)


class _Union:
    """The columns of a field of several types: the name of the type, then each distinct field of these types."""

    def __init__(self, name: str) -> None:
        members = get_args(get_type_hints(Chunk)[name])
        own = {member: _columns(member, [field.name for field in fields(member)], f"{name}_") for member in members}
        distinct = dict.fromkeys(column for columns in own.values() for column in columns)
        self.columns = (_column(name, str), *distinct)
        self._read = {member.__name__: _reader(member, columns, self.columns) for member, columns in own.items()}
        # The columns of each type, computed in advance because every record needs them.
        self._own = {
            member: tuple(one if one in columns else None for one in self.columns[1:])
            for member, columns in own.items()
        }

    def values(self, value: object) -> list[object]:
        """The values of `columns`, ready for SQLite."""
        own = self._own[type(value)]
        return [type(value).__name__, *[_value(value, column) if column else None for column in own]]

    def read(self, values: SqlRow) -> Any:
        """The value of a row."""
        return self._read[values[0]](values)


def _reader(kind: type[T], own: Sequence[_Column], row: Sequence[_Column]) -> Callable[[SqlRow], T]:
    """A function that creates a value from its row, in few steps, because a query shows twenty records."""
    at = [row.index(column) for column in own]
    lists = [i for i, column in enumerate(own) if column.is_list]

    def read(values: SqlRow) -> T:
        picked = [values[i] for i in at]
        for i in lists:
            picked[i] = _items(picked[i])
        return kind(*picked)

    return read


_HEAD = _columns(Record, [f.name for f in fields(Record) if f.name not in (*_OF_GENERATION, "page", "chunk")])
_PAGE = _columns(PageFacts, [field.name for field in fields(PageFacts)])
_CHUNK = _columns(Chunk, [field.name for field in fields(Chunk) if field.name not in ("body", "at")])
_BODY, _AT = _Union("body"), _Union("at")
_ALL = (*_HEAD, *_PAGE, *_CHUNK, *_BODY.columns, *_AT.columns)
NAMES = tuple(column.name for column in _ALL)
DEFINITIONS = tuple(column.sql for column in _ALL)

_PAGE_FROM = len(_HEAD)
_CHUNK_FROM = _PAGE_FROM + len(_PAGE)
_BODY_FROM = _CHUNK_FROM + len(_CHUNK)
_AT_FROM = _BODY_FROM + len(_BODY.columns)
_PAGE_NAMES = tuple(column.field for column in _PAGE)
_PAGE_LISTS = tuple(column.field for column in _PAGE if column.is_list)


def values_of(record: Record) -> list[object]:
    """The values of `NAMES`, ready for SQLite."""
    return [
        *[_value(record, column) for column in _HEAD],
        *[_value(record.page, column) for column in _PAGE],
        *[_value(record.chunk, column) for column in _CHUNK],
        *_BODY.values(record.chunk.body),
        *_AT.values(record.chunk.at),
    ]


def record_of(row: SqlRow, same: Generation | Record) -> Record:
    """The record of a row of `NAMES`.

    Args:
        same: The source of the values that all records of a generation share.

    Raises:
        ValueError, TypeError, LookupError: The row is damaged.
    """
    return _record(
        *map(as_text, row[:_PAGE_FROM]),
        same.project_id,
        same.scope,
        same.model_id,
        _page(tuple(row[_PAGE_FROM:_CHUNK_FROM])),
        _chunk(*row[_CHUNK_FROM:_BODY_FROM], _BODY.read(row[_BODY_FROM:_AT_FROM]), _AT.read(row[_AT_FROM:])),
    )


@lru_cache(maxsize=1 << 12)  # all records of a page have the same
def _page(values: SqlRow) -> PageFacts:
    facts = dict(zip(_PAGE_NAMES, values, strict=True))
    for name in _PAGE_LISTS:
        facts[name] = _items(facts[name])
    return PageFacts(**facts)


def _value(owner: object, column: _Column) -> object:
    value = getattr(owner, column.field)
    if isinstance(value, str):
        return as_stored(value) if column.field in _HASH_COLUMNS else storable(value)
    if column.is_list:
        return f"[{', '.join([encode_basestring(storable(item)) for item in value])}]"
    if isinstance(value, float) and not math.isfinite(value):
        return 1.0  # infinity and NaN cannot be compared, so they are ignored
    return value


@lru_cache(maxsize=1 << 12)  # headings and tags repeat
def _items(text: str) -> tuple[str, ...]:
    return tuple(json.loads(text))


def as_stored(value: str) -> bytes | str:
    """A hash as it is stored, and compared in SQL; other text stays unchanged."""
    return bytes.fromhex(value) if _SHA256.fullmatch(value) else value


def as_text(stored: bytes | str) -> str:
    """The text of a stored hash."""
    return stored.hex() if isinstance(stored, bytes) else stored
