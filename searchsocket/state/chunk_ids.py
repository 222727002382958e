"""The ids of chunks. A scope's name is part of them, so the state stores none: they are computed when they are read."""

import sqlite3
from collections.abc import Iterator

import numpy as np

from searchsocket.content.chunking.records import record_id
from searchsocket.state.file import transaction

# Of one scope, for as long as the state is open; SQLite moves it to the disk if it is large.
CHUNK_IDS = """CREATE TEMP TABLE IF NOT EXISTS chunk_ids (
    id BLOB NOT NULL,
    is_live INTEGER NOT NULL,  -- 0 = a chunk of the scope now, 1 = of a page in its generation
    chunk INTEGER NOT NULL,  -- its rowid
    record_hash BLOB NOT NULL,
    PRIMARY KEY (id, is_live, chunk)
) WITHOUT ROWID"""
OF_SCOPE = "SELECT records_id, 0 FROM chunked WHERE scope = ?"
_ID_BYTES, _HASH_BYTES = 20, 32
_DAMAGED = bytes(_HASH_BYTES)  # equals the hash of no record


def all_fingerprints(db: sqlite3.Connection, scope: str) -> Iterator[tuple[str, str]]:
    """Yield (id, record hash) of every chunk of a scope, by rising id; takes 52 bytes per chunk."""
    rows = db.execute(
        "SELECT url, key, record_hash FROM chunked CROSS JOIN page_cuts ON page_cuts.id = chunked.records_id "
        "CROSS JOIN chunks ON chunks.records_id = chunked.records_id WHERE scope = ?",
        (scope,),
    )
    names = bytearray()
    for url, key, record_hash in rows:
        is_sound = isinstance(record_hash, bytes) and len(record_hash) == _HASH_BYTES
        names += bytes.fromhex(record_id(scope, url, key)) + (record_hash if is_sound else _DAMAGED)
    width = _ID_BYTES + _HASH_BYTES
    np.frombuffer(names, f"S{width}").sort()  # in place
    for start in range(0, len(names), width):
        middle = start + _ID_BYTES
        yield names[start:middle].hex(), names[middle : start + width].hex()


def compute_ids(db: sqlite3.Connection, scope: str, sql: str) -> None:
    """Replace the table `chunk_ids`.

    Args:
        sql: Returns the `page_cuts` of a scope, each with its value of `is_live`; its parameter is the scope.
    """

    def identified() -> Iterator[tuple[bytes, int, int, bytes]]:
        rows = db.execute(
            f"WITH cuts (cut, is_live) AS ({sql}) SELECT url, key, is_live, chunks.rowid, record_hash FROM cuts "
            "CROSS JOIN page_cuts ON page_cuts.id = cut CROSS JOIN chunks ON records_id = cut",
            (scope,),
        )
        for url, key, *values in rows:
            yield (bytes.fromhex(record_id(scope, url, key)), *values)

    with transaction(db, "DEFERRED"):  # the file may be open for reading only
        db.execute(CHUNK_IDS)
        db.execute("DELETE FROM chunk_ids")
        db.executemany("INSERT INTO chunk_ids VALUES (?,?,?,?)", identified())
