"""The tables of `state.db`. The docstring of `searchsocket.state` gives the meaning and writer of each column."""

import sqlite3
from contextlib import closing
from functools import cache
from pathlib import Path

SCHEMA_VERSION = 20
SCHEMA = tuple(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8").split("\n\n"))

# Every entry but the indexes that SQLite makes by itself, and the statistics of ANALYZE.
_LIST = """SELECT type, name, sql FROM sqlite_master
    WHERE NOT (type = 'index' AND sql IS NULL AND name GLOB 'sqlite_autoindex_*')
    AND NOT (type = 'table' AND name IN ('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4'))
    ORDER BY type, name LIMIT 200"""


def has_own_schema(db: sqlite3.Connection) -> bool:
    """Return True if a database has our tables, indexes, views and triggers, and nothing else."""
    return db.execute(_LIST).fetchall() == _own_schema()


def has_own_triggers(db: sqlite3.Connection) -> bool:
    """Return True if a database has our views and triggers, and no other: they run inside our statements."""
    kinds = ("trigger", "view")
    return [row for row in db.execute(_LIST) if row[0] in kinds] == [row for row in _own_schema() if row[0] in kinds]


@cache
def _own_schema() -> list[tuple[str, str, str]]:
    with closing(sqlite3.connect(":memory:")) as db:
        for statement in SCHEMA:
            db.execute(statement)
        rows: list[tuple[str, str, str]] = db.execute(_LIST).fetchall()
        return rows
