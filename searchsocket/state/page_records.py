"""The records of one page in one blob, since they are similar and are read together.

Scopes with equal chunks share it, since it names no scope.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from searchsocket.content.chunking.records import CutChunk, hash_of, head_of, with_head
from searchsocket.state.contents import unpacked_body
from searchsocket.state.errors import DamagedRow
from searchsocket.state.sql import as_stored, as_text, marks
from searchsocket.system.compressed import Packing

_COLUMNS = "rowid, records_id, line, key, content_hash, record_hash"
_HASH = "content_hash"  # is stored outside the blob
_MAX_VALUES = 500  # of one statement


class StoredChunk(NamedTuple):
    """A stored chunk; its text is not verified yet."""

    rowid: int
    key: str
    content_hash: str
    record_hash: str
    canonical: str


def put_records(db: sqlite3.Connection, page_id: int, chunks: Sequence[CutChunk], tokens: Sequence[int]) -> int:
    """Store the chunks of a page, unless equal ones are stored already; return the id of the `page_cuts` row.

    Args:
        tokens: Tokens of the embedded text of each chunk.
    """
    records = [chunk.record for chunk in chunks]
    digest = as_stored(records_digest((chunk.key, chunk.record.record_hash) for chunk in chunks))
    if row := db.execute("SELECT id FROM page_cuts WHERE records_digest = ?", (digest,)).fetchone():
        return int(row[0])
    texts_digest = as_stored(hash_of("".join(record.content_hash for record in records)))
    id_ = db.execute(
        "INSERT INTO page_cuts (url, chunks, records_digest, texts_digest) VALUES (?,?,?,?)",
        (records[0].page.url, len(chunks), digest, texts_digest),
    ).lastrowid
    db.executemany(
        "INSERT INTO chunks (records_id, line, key, content_hash, tokens, record_hash) VALUES (?,?,?,?,?,?)",
        [
            (id_, line, chunk.key, as_stored(chunk.record.content_hash), count, as_stored(chunk.record.record_hash))
            for line, (chunk, count) in enumerate(zip(chunks, tokens, strict=True))
        ],
    )
    row = db.execute(
        "SELECT bodies.id, body FROM pages JOIN bodies ON bodies.id = content_id WHERE pages.id = ?", (page_id,)
    ).fetchone()
    content_id, body = row or (0, None)
    # In JSON, line breaks are escaped.
    blob = _packing(body).packed("\n".join(_without_hash(chunk.canonical) for chunk in chunks))
    db.execute("INSERT INTO page_records (id, content_id, records) VALUES (?,?,?)", (id_, content_id, blob))
    return id_ or 0


def records_digest(names: Iterable[tuple[str, str]]) -> str:
    """Digest of the key and record hash of each chunk of a page, in their order."""
    return hash_of("\n".join(f"{record_hash}{key}" for key, record_hash in names))


def chunks_at(db: sqlite3.Connection, rowids: Sequence[int]) -> Iterator[StoredChunk]:
    """Yield the existing ones of some chunks, by rising rowid.

    Raises:
        DamagedRow: A chunk cannot be read.
    """
    ordered = sorted(rowids)
    current, lines = 0, list[str]()
    for start in range(0, len(ordered), _MAX_VALUES):
        window = ordered[start : start + _MAX_VALUES]
        rows = db.execute(f"SELECT {_COLUMNS} FROM chunks WHERE rowid IN ({marks(len(window))}) ORDER BY rowid", window)
        for rowid, records_id, line, key, *stored in rows:
            try:
                if records_id != current:  # neighbours share a blob
                    current, lines = records_id, _lines(db, records_id)
                content_hash, record_hash = map(as_text, stored)
                text = with_head(lines[line], {**head_of(lines[line]), _HASH: content_hash})
            except (ValueError, TypeError, LookupError, AttributeError) as error:
                raise DamagedRow(f"a chunk is damaged: {error}") from error
            yield StoredChunk(rowid, key, content_hash, record_hash, text)


def lines_of(db: sqlite3.Connection, page_id: int) -> list[str]:
    """Return the stored records of a page, without the hashes of their texts.

    Raises:
        DamagedRow: The records cannot be read.
    """
    row = db.execute("SELECT records_id FROM chunked WHERE page_id = ?", (page_id,)).fetchone()
    try:
        return _lines(db, row[0]) if row else []
    except (ValueError, TypeError) as error:
        raise DamagedRow(f"the chunks of a page are damaged: {error}") from error


def _lines(db: sqlite3.Connection, records_id: int) -> list[str]:
    records, body = db.execute(
        "SELECT records, body FROM page_records LEFT JOIN bodies ON bodies.id = content_id WHERE page_records.id = ?",
        (records_id,),
    ).fetchone()
    return _packing(body).unpacked(records).split("\n")


def _packing(body: bytes | None) -> Packing:
    """Return a compression with the page text as dictionary: records repeat it, so they take a third of the bytes."""
    return Packing() if body is None else Packing(unpacked_body(body).encode("utf-8", "surrogatepass"))


def _without_hash(text: str) -> str:
    return with_head(text, {name: value for name, value in head_of(text).items() if name != _HASH})
