"""The records of one page in one blob, since they are similar and are read together.

A blob does not contain the names of records in a scope, so that scopes with equal chunks share it.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from searchsocket.content.chunking.canonical import head_of, with_head
from searchsocket.state.contents import unpacked_body
from searchsocket.state.errors import DamagedRow
from searchsocket.state.sql import as_text, marks
from searchsocket.system.compressed import Packing

_NAMES = ("id", "content_hash", "scope")  # columns of `chunks`
_COLUMNS = "chunks.rowid, line, records_id, chunks.id, chunks.content_hash, chunks.scope, record_hash"
_FROM = "chunks CROSS JOIN chunked ON chunked.scope = chunks.scope AND chunked.page_id = chunks.page_id"
_MAX_VALUES = 500  # of one statement


class StoredChunk(NamedTuple):
    """A stored chunk; its text is not verified yet."""

    rowid: int
    id: str
    content_hash: str
    record_hash: str
    canonical: str


def put_records(db: sqlite3.Connection, page_id: int, records: Sequence[str]) -> int:
    """Store the canonical texts of a page's records; return the id of their blob."""
    row = db.execute(
        "SELECT bodies.id, body FROM contents JOIN bodies ON bodies.id = body_id WHERE page_id = ?", (page_id,)
    ).fetchone()
    body_id, body = row or (0, None)
    blob = _packing(body).packed("\n".join(map(_nameless, records)))  # in JSON, line breaks are escaped
    return int(db.execute("INSERT INTO page_records (body_id, records) VALUES (?, ?)", (body_id, blob)).lastrowid or 0)


def chunks_at(db: sqlite3.Connection, rowids: Sequence[int]) -> Iterator[StoredChunk]:
    """Yield the existing ones of some chunks, by rising rowid.

    Raises:
        DamagedRow: A chunk cannot be read.
    """
    ordered = sorted(rowids)
    pages = _Pages(db)
    for start in range(0, len(ordered), _MAX_VALUES):
        window = ordered[start : start + _MAX_VALUES]
        yield from pages.chunks(f"{_FROM} WHERE chunks.rowid IN ({marks(len(window))}) ORDER BY chunks.rowid", window)


def chunks_of(db: sqlite3.Connection, page_id: int) -> list[StoredChunk]:
    """Return the chunks of a page in their order; raises as `chunks_at`."""
    return list(_Pages(db).chunks(f"{_FROM} WHERE chunks.page_id = ? ORDER BY chunks.rowid", [page_id]))


def lines_of(db: sqlite3.Connection, page_id: int) -> list[str]:
    """Return the stored records of a page, without the fields that name their scope.

    Raises:
        DamagedRow: The records cannot be read.
    """
    row = db.execute("SELECT records_id FROM chunked WHERE page_id = ?", (page_id,)).fetchone()
    try:
        return _lines(db, row[0]) if row else []
    except (ValueError, TypeError) as error:
        raise DamagedRow(f"the chunks of a page are damaged: {error}") from error


class _Pages:
    """Reads blobs, and caches the last one."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._id = 0
        self._lines: list[str] = []

    def chunks(self, source: str, values: Sequence[int]) -> Iterator[StoredChunk]:
        for rowid, line, records_id, *columns in self._db.execute(f"SELECT {_COLUMNS} FROM {source}", values):
            try:
                text = self._read(records_id)[line]
                *names, record_hash = map(as_text, columns)
                head = head_of(text) | dict(zip(_NAMES, names, strict=True))
                yield StoredChunk(rowid, names[0], names[1], record_hash, with_head(text, head))
            except (ValueError, TypeError, LookupError, AttributeError) as error:
                raise DamagedRow(f"a chunk is damaged: {error}") from error

    def _read(self, records_id: int) -> list[str]:
        if records_id != self._id:
            self._lines, self._id = _lines(self._db, records_id), records_id
        return self._lines


def _lines(db: sqlite3.Connection, records_id: int) -> list[str]:
    records, body = db.execute(
        "SELECT records, body FROM page_records LEFT JOIN bodies ON bodies.id = body_id WHERE page_records.id = ?",
        (records_id,),
    ).fetchone()
    return _packing(body).unpacked(records).split("\n")


def _packing(body: bytes | None) -> Packing:
    """Return a compression with the page text as dictionary: records repeat it, so they take a third of the bytes."""
    return Packing() if body is None else Packing(unpacked_body(body).encode("utf-8", "surrogatepass"))


def _nameless(text: str) -> str:
    return with_head(text, {name: value for name, value in head_of(text).items() if name not in _NAMES})
