"""The chunks of a scope between runs, as the records that they become."""

import json
import re
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from searchsocket.chunking.records import CutChunk, content_hash, embedded_text_of, hash_of
from searchsocket.state.database import DamagedRow
from searchsocket.types import Record

_HASH = re.compile(r"[0-9a-f]{64}")
_MAX_VALUES = 500  # of one statement


class Text(NamedTuple):
    """A text to embed: what it is, what it costs, and where it can be read."""

    content_hash: str
    tokens: int
    place: int  # texts of neighbouring places are read fastest


def replace_chunks(
    db: sqlite3.Connection, scope: str, page_id: int, cut: Sequence[CutChunk], tokens: Sequence[int]
) -> int:
    """Store the chunks of a page in place of those that it had.

    Args:
        tokens: Of the embedded text of each chunk.

    Returns:
        How many texts are new on the page.
    """
    before = {row[0] for row in db.execute("SELECT content_hash FROM chunks WHERE page_id = ?", (page_id,))}
    drop_chunks(db, scope, page_id)
    db.executemany(
        "INSERT INTO chunks (scope, id, page_id, ordinal, content_hash, tokens, record_hash, record) "
        "VALUES (?,?,?,?,?,?,?,?)",
        [
            (scope, row.id, page_id, row.ordinal, row.content_hash, count, row.record_hash, canonical)
            for row, count, canonical in zip(
                (chunk.record for chunk in cut), tokens, (chunk.canonical for chunk in cut), strict=True
            )
        ],
    )
    if cut:
        records_digest = hash_of("".join(f"{chunk.record.id}{chunk.record.record_hash}" for chunk in cut))
        texts_digest = hash_of("".join(chunk.record.content_hash for chunk in cut))
        db.execute(
            "INSERT INTO chunked (scope, page_id, chunks, records_digest, texts_digest) VALUES (?,?,?,?,?)",
            (scope, page_id, len(cut), records_digest, texts_digest),
        )
    return sum(chunk.record.content_hash not in before for chunk in cut)


def drop_chunks(db: sqlite3.Connection, scope: str, page_id: int) -> None:
    """Forget the chunks of a page."""
    db.execute("DELETE FROM chunks WHERE page_id = ?", (page_id,))
    db.execute("DELETE FROM chunked WHERE scope = ? AND page_id = ?", (scope, page_id))


def count_chunks(db: sqlite3.Connection, scope: str) -> tuple[int, int]:
    """Chunks of a scope, and pages that have any."""
    chunks, pages = db.execute(
        "SELECT COALESCE(SUM(chunks), 0), COUNT(*) FROM chunked WHERE scope = ?", (scope,)
    ).fetchone()
    return int(chunks), int(pages)


def count_texts(db: sqlite3.Connection, scope: str) -> int:
    """Distinct texts of a scope."""
    row = db.execute("SELECT COUNT(DISTINCT content_hash) FROM chunks WHERE scope = ?", (scope,)).fetchone()
    return int(row[0])


def page_digests(db: sqlite3.Connection, scope: str, column: str) -> Iterator[str]:
    """`records_digest` or `texts_digest` of every page that has chunks, rising: the order in which pages came is no
    part of what a scope holds.
    """
    rows = db.execute(f"SELECT {column} FROM chunked WHERE scope = ? ORDER BY {column}", (scope,))
    return (str(row[0]) for row in rows)


def texts(db: sqlite3.Connection, scope: str) -> Iterator[Text]:
    """Every distinct text of a scope, by rising hash."""
    return _texts(
        db.execute(
            "SELECT content_hash, tokens, MIN(rowid) FROM chunks WHERE scope = ? "
            "GROUP BY content_hash ORDER BY content_hash",
            (scope,),
        )
    )


def unpublished_texts(db: sqlite3.Connection, scope: str) -> Iterator[Text]:
    """The distinct texts of chunks that changed since the scope was published, by rising hash."""
    return _texts(
        db.execute(
            "SELECT content_hash, tokens, MIN(chunks.rowid) FROM unpublished "
            "CROSS JOIN chunks ON chunks.scope = unpublished.scope AND chunks.id = unpublished.id "
            "WHERE unpublished.scope = ? GROUP BY content_hash ORDER BY content_hash",
            (scope,),
        )
    )


def _texts(rows: sqlite3.Cursor) -> Iterator[Text]:
    for row in rows:
        text = Text(*row)
        if not _HASH.fullmatch(text.content_hash) or not isinstance(text.tokens, int):
            raise DamagedRow(f"{text.content_hash!r} is no hash of a text")
        yield text


def texts_at(db: sqlite3.Connection, places: Sequence[int]) -> list[str]:
    """The embedded texts at some places, in their order.

    Raises:
        DamagedRow: One is not what was written.
    """
    found: dict[int, str] = {}
    for start in range(0, len(places), _MAX_VALUES):
        some = sorted(places[start : start + _MAX_VALUES])
        marks = ",".join("?" * len(some))
        for place, key, record in db.execute(
            f"SELECT rowid, content_hash, record FROM chunks WHERE rowid IN ({marks}) ORDER BY rowid", some
        ):
            text = embedded_text_of(_record(record, ""))
            if content_hash(text) != key:
                raise DamagedRow(f"the text {key[:64]!r} is not what was written")
            found[place] = text
    if len(found) < len(places):
        raise DamagedRow(f"{len(found)} of {len(places)} texts are there")
    return [found[place] for place in places]


def fingerprints(db: sqlite3.Connection, scope: str) -> Iterator[tuple[str, str]]:
    """(id, record_hash) of every chunk, by rising id."""
    # Not `yield from`: who stops early closes the database first, and then the cursor could not be closed.
    for row in db.execute("SELECT id, record_hash FROM chunks WHERE scope = ? ORDER BY id", (scope,)):  # noqa: UP028
        yield row


def places_of(db: sqlite3.Connection, scope: str, ids: Sequence[str]) -> list[int]:
    """Where the chunks with the given ids can be read, in no order.

    Raises:
        DamagedRow: One is not there.
    """
    marks = ",".join("?" * len(ids))
    rows = db.execute(f"SELECT rowid FROM chunks WHERE scope = ? AND id IN ({marks})", (scope, *ids))
    places = [row[0] for row in rows]
    if len(places) != len(ids):
        raise DamagedRow(f"{len(places)} of {len(ids)} chunks are there")
    return places


def records_at(db: sqlite3.Connection, places: Sequence[int]) -> list[Record]:
    """The records at some places, by rising place.

    Raises:
        DamagedRow: One is not there, or not what was written.
    """
    marks = ",".join("?" * len(places))
    rows = db.execute(f"SELECT id, record_hash, record FROM chunks WHERE rowid IN ({marks}) ORDER BY rowid", places)
    found: list[Record] = []
    for record_id, record_hash, text in rows:
        if not isinstance(text, str) or hash_of(text) != record_hash:
            raise DamagedRow(f"the chunk {record_id[:80]!r} is not what was written")
        record = _record(text, record_hash)
        if record.id != record_id:
            raise DamagedRow(f"the chunk {record_id[:80]!r} is another one")
        found.append(record)
    if len(found) != len(places):
        raise DamagedRow(f"{len(found)} of {len(places)} chunks are there")
    return found


def _record(canonical: str, record_hash: str) -> Record:
    try:
        data: dict[str, Any] = json.loads(canonical)
        for name in ("heading_path", "link_texts", "tags"):
            data[name] = tuple(data[name])
        return Record(record_hash=record_hash, **data)
    except (ValueError, TypeError, KeyError) as error:
        raise DamagedRow(f"a chunk is damaged: {error}") from error
