"""The tables of `state.db`, SQL conditions that define the states of a page, and the error of damaged rows.

Each condition is for `pages` and has one parameter, the scope; the table in `searchsocket.state` names the states.
"""

import hashlib
import re
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


IN_SCOPE = "scope = ? AND removed = 0"
SEARCHABLE = f"{IN_SCOPE} AND skip = '' AND copy_of = '' AND extract_key != ''"
MIRRORED = f"{IN_SCOPE} AND skip = '' AND copy_of = '' AND mirror_digest != ''"
# Pages came, went, or changed what all pages decide together: their titles, languages, versions and links.
PAGE_SET_CHANGED = "SELECT page_set_changed FROM scopes WHERE scope = ?"
CHANGE_PAGE_SET = "UPDATE scopes SET page_set_changed = 1 WHERE scope = ?"
# Bytes of a hash in keys. With half of them, an author could search for two pages with the same key; then one scope
# would show the page of another.
KEY_BYTES = 16
CUT = f"substr(chunk_key, 1, {KEY_BYTES}) = substr(mirror_digest, 1, {KEY_BYTES})"  # of a mirrored page

EXTRACT_KEY = "key_of_extract(raw_hash, ?, url, served_url, kind)"  # of a page as it is listed; its value is `how`

_HASH = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})")


def marks(values: int) -> str:
    """Return the placeholders for a list of values."""
    return ",".join("?" * values)


def as_stored(value: str) -> bytes | str:
    """Return the value to write and compare in SQL: a hash as bytes, which halves its size; other text as text."""
    return bytes.fromhex(value) if _HASH.fullmatch(value) else value


def key_of_extract(raw_hash: bytes | str, how: str, url: str, served_url: str, kind: str) -> bytes:
    """Return the hash of all inputs of a page's extraction; also a function of SQL. See `extracts.extract_key`."""
    parts = (as_text(raw_hash), how, url, served_url, kind)
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).digest()[:KEY_BYTES]


def as_text(stored: bytes | str) -> str:
    """Return the text of a stored value."""
    return stored.hex() if isinstance(stored, bytes) else stored


class DamagedRow(Exception):
    """A stored row is damaged.

    Raised inside an open state, which converts it to `StateUnavailable` and renames the file, so the next run starts
    empty.
    """
