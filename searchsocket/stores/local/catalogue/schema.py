"""Compare the schema of a database file with ours: a foreign view or trigger could run forever or call functions."""

import sqlite3
from contextlib import closing
from functools import cache
from pathlib import Path

from searchsocket.stores.local.catalogue import bodies, records
from searchsocket.stores.local.catalogue.records import connect_reader
from searchsocket.stores.local.layout import BODIES, EDITED_BODIES, read_manifest, records_file

_LIST = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name LIMIT 100"
_MAX_STEPS = 100_000  # of SQLite's machine, to read the list

Rows = list[tuple[str, str, str, str | None]]


def foreign_schema(folder: Path) -> str:
    """The first database file of a generation with tables or indexes that are not ours; "" = no such file.

    Raises:
        sqlite3.Error: A file is damaged, or its schema takes too long to read.
    """
    manifest = read_manifest(folder)
    files = {records_file(pack.name): records.SCHEMA for pack in manifest.packs}
    files |= {name: bodies.SCHEMA for name in (BODIES, EDITED_BODIES) if name in manifest.files}
    for name, schema in files.items():
        with closing(connect_reader(folder / name)) as connection:
            connection.set_progress_handler(lambda: 1, _MAX_STEPS)
            if connection.execute(_LIST).fetchall() != _own_schema(schema):
                return name
    return ""


@cache
def _own_schema(schema: str) -> Rows:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(schema)
        rows: Rows = connection.execute(_LIST).fetchall()
        return rows
