"""The SQLite file of a generation: one row a record, found by id, by path order and by tag."""

import json
import math
import sqlite3
from collections.abc import Sequence
from dataclasses import fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from searchsocket.markdown.chunk_text import chunk_text
from searchsocket.stores.base import Shown
from searchsocket.stores.local.catalogue import plain
from searchsocket.text.storable import storable
from searchsocket.types import Generation, Record
from searchsocket.urls.paths import sort_key

_OF_GENERATION = ("project_id", "scope", "model_id")  # the same in every record, so the manifest holds them
_LISTS = ("heading_path", "link_texts", "tags")  # kept as JSON
FIELDS = tuple(field.name for field in fields(Record) if field.name not in _OF_GENERATION)
_TYPES = {"ordinal": "INTEGER", "depth": "INTEGER", "incoming_links": "INTEGER", "weight": "REAL", "plain": "BLOB"}
_SAID = ("text", "title", "section_title", "description")  # what a chunk's plain text is made of
_KEPT = (*FIELDS, *plain.COLUMNS)
FIELD_NAMES = ", ".join(FIELDS)
KEPT_COLUMNS = ", ".join(f"{name} {_TYPES.get(name, 'TEXT')} NOT NULL" for name in _KEPT)
KEPT_NAMES = ", ".join(_KEPT)
PLACEHOLDERS = ", ".join("?" * len(_KEPT))

TABLES = f"""
CREATE TABLE records (doc INTEGER PRIMARY KEY AUTOINCREMENT, sort BLOB NOT NULL, {KEPT_COLUMNS});
CREATE TABLE tags (tag TEXT NOT NULL, doc INTEGER NOT NULL, PRIMARY KEY (tag, doc)) WITHOUT ROWID;
"""
# Created after the rows of a new file are in, which is several times faster.
INDEXES = """
CREATE INDEX IF NOT EXISTS by_id ON records (id, record_hash);
CREATE INDEX IF NOT EXISTS by_path ON records (sort, ordinal, id, route_resolution);
"""
PATH_ORDER = "sort, ordinal, id"
CACHE_KIB = 32_768


def row_of(record: Record) -> tuple[Any, ...]:
    """The values of `KEPT_NAMES`, ready for SQLite."""
    values = {name: _storable_value(name, getattr(record, name)) for name in FIELDS}
    unclean = {name: values[name] for name in _SAID if values[name] != getattr(record, name)}
    said = chunk_text(replace(record, **unclean) if unclean else record)
    return (*values.values(), *plain.packed(said, values["text"]))


def _storable_value(name: str, value: Any) -> Any:
    if name in _LISTS:
        return json.dumps([storable(item) for item in value], ensure_ascii=False)
    if isinstance(value, str):
        return storable(value)
    if name == "weight" and not math.isfinite(value):
        return 1.0  # a number that cannot be compared is no statement about the page
    return value


def record_of(row: Sequence[Any], generation: Generation) -> Record:
    """The record of a row of `FIELD_NAMES`.

    Raises:
        ValueError, TypeError: The row is damaged.
    """
    values: dict[str, Any] = dict(zip(FIELDS, row, strict=True))
    for name in _LISTS:
        values[name] = _items(values[name])
    return Record(**values, project_id=generation.project_id, scope=generation.scope, model_id=generation.model_id)


def shown_of(row: Sequence[Any], generation: Generation) -> Shown:
    """The record of a row of `KEPT_NAMES`, and what it says.

    Raises:
        ValueError, TypeError: The row is damaged.
    """
    record = record_of(row[: len(FIELDS)], generation)
    return Shown(record, plain.unpacked(row[len(FIELDS) :], record.text))


@lru_cache(maxsize=1 << 12)  # all records of a page have the same
def _items(text: str) -> tuple[str, ...]:
    return tuple(json.loads(text))


def path_key(url: str) -> bytes:
    """`urls.sort_key` as bytes, which SQLite compares as they are."""
    return sort_key(storable(url)).encode("utf-8")


def path_bounds(prefix: str) -> tuple[bytes, bytes]:
    """First key of `prefix` and everything below it, and the first key after that run."""
    key = path_key(prefix)
    return key, key + b"\x02"  # below it all keys go on with \x01, see `urls.sort_key`


def connect_reader(path: Path) -> sqlite3.Connection:
    """Open a finished file: never locked, never written; usable from any thread that holds the caller's lock."""
    uri = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
    return sqlite3.connect(uri, uri=True, check_same_thread=False, isolation_level=None)


def connect_writer(path: Path) -> sqlite3.Connection:
    """Open a file that nobody else sees: no journal, the caller syncs it when it is done."""
    connection = sqlite3.connect(path.resolve().as_uri(), uri=True, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = OFF")
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    return connection
