"""Changing what a state holds of chunks, in its own form."""

import sqlite3
from collections.abc import Callable

from searchsocket.system.compressed import Packing, packed, unpacked


def change_records(db: sqlite3.Connection, change: Callable[[str], str]) -> None:
    """Give the records of every page another text."""
    rows = "SELECT page_records.id, records, body FROM page_records LEFT JOIN bodies ON bodies.id = content_id"
    for number, records, body in db.execute(rows).fetchall():
        text = Packing(unpacked(body).encode() if body else b"").unpacked(records)
        db.execute("UPDATE page_records SET records = ? WHERE id = ?", (packed(change(text)), number))
