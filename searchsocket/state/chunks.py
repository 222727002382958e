"""The chunks of a scope between runs, as the records that they become."""

import json
import re
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import fields

from searchsocket.identity import record_hash
from searchsocket.state.database import DamagedRow
from searchsocket.types import Record

_FIELDS = tuple(field.name for field in fields(Record))
_HASH = re.compile(r"[0-9a-f]{64}")
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def write_record(record: Record) -> str:
    """A record as text; `dataclasses.asdict` would copy every field deeply, at four times the cost."""
    return _encode({name: getattr(record, name) for name in _FIELDS})


def read_record(text: str) -> Record:
    """The record that `write_record` wrote.

    Raises:
        DamagedRow: It is another one.
    """
    try:
        data = json.loads(text)
        for name in ("heading_path", "link_texts", "tags"):
            data[name] = tuple(data[name])
        record = Record(**data)
    except (ValueError, TypeError, KeyError) as error:
        raise DamagedRow(f"a chunk is damaged: {error}") from error
    if record_hash(record) != record.record_hash:
        raise DamagedRow(f"the chunk {record.id[:80]!r} is not what was written")
    return record


def content_hashes(db: sqlite3.Connection, scope: str) -> Iterator[str]:
    """Every distinct text of the scope, by rising hash."""
    for row in db.execute("SELECT DISTINCT content_hash FROM chunks WHERE scope = ? ORDER BY content_hash", (scope,)):
        if not _HASH.fullmatch(row[0]):
            raise DamagedRow(f"{row[0]!r} is no hash of a text")
        yield row[0]


def records_with_hashes(db: sqlite3.Connection, scope: str, hashes: Sequence[str]) -> Iterator[Record]:
    """One record for each of the given texts."""
    marks = ",".join("?" * len(hashes))
    rows = db.execute(
        f"SELECT record, MIN(id) FROM chunks WHERE scope = ? AND content_hash IN ({marks}) "
        "GROUP BY content_hash ORDER BY content_hash",
        (scope, *hashes),
    )
    for row in rows:
        yield read_record(row[0])


def fingerprints(db: sqlite3.Connection, scope: str) -> Iterator[tuple[str, str]]:
    """(id, record_hash) of every chunk, by rising id."""
    # Not `yield from`: who stops early closes the database first, and then the cursor could not be closed.
    for row in db.execute("SELECT id, record_hash FROM chunks WHERE scope = ? ORDER BY id", (scope,)):  # noqa: UP028
        yield row


def records(db: sqlite3.Connection, scope: str, ids: Sequence[str]) -> list[Record]:
    """The records with the given ids, by rising id."""
    marks = ",".join("?" * len(ids))
    rows = db.execute(
        f"SELECT record FROM chunks WHERE scope = ? AND id IN ({marks}) ORDER BY id",
        (scope, *ids),
    )
    found = [read_record(row[0]) for row in rows]
    if len(found) != len(ids):
        raise DamagedRow(f"{len(found)} of {len(ids)} chunks are there")
    return found
