"""The ids of chunks. A scope's name is part of them, so the state stores none: they are computed when they are read."""

import sqlite3
from collections.abc import Iterator

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
