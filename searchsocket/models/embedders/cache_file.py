"""The SQLite file of the embedding cache: open it, detect damage, copy it and rename it."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import filelock

from searchsocket.errors import SearchSocketError, StateUnavailable
from searchsocket.system.errors import client_error
from searchsocket.system.files import make_folder, share

_VERSION = 2  # 1 had no `uses`
_APPLICATION_ID = 0x55E7EBED
_BUSY_TIMEOUT_S = 30.0
_MAX_DIMENSIONS = 65_536
_BATCH = 500
_SCHEMA = {
    "models": "CREATE TABLE models (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, dimensions INTEGER NOT NULL)",
    "vectors": (
        "CREATE TABLE vectors (hash BLOB NOT NULL, model INTEGER NOT NULL, vector BLOB NOT NULL, "
        "tokens INTEGER NOT NULL, checksum INTEGER NOT NULL, UNIQUE (hash, model))"
    ),
}
# Row of `vectors` -> day of its last use, in days since 1970. No row = stored before days were recorded.
_USES = "CREATE TABLE IF NOT EXISTS uses (id INTEGER PRIMARY KEY, day INTEGER NOT NULL)"


class _Damaged(Exception):
    """The file is not an embedding cache, or damaged."""


@dataclass(frozen=True, slots=True)
class CacheConnection:
    """A usable connection, and the damage of the file before it was opened; "" = none."""

    connection: sqlite3.Connection
    damage: str = ""
    inode: int = 0  # of the file, to distinguish the damaged file from another process's new one


def open_writable(path: Path) -> CacheConnection:
    """Open or create the file; a damaged one is renamed to `NAME.corrupt-N` and replaced by a new one.

    Raises:
        StateUnavailable: The file cannot be opened, or a newer version wrote it.
    """
    try:
        make_folder(path.parent)
        # One process at a time creates or replaces the file.
        with filelock.FileLock(f"{path}.lock", timeout=_BUSY_TIMEOUT_S):
            emptied = path.exists() and path.stat().st_size == 0
            try:
                opened = CacheConnection(_connect(path), inode=path.stat().st_ino)
                return replace(opened, damage=f"{path} was empty; its texts are embedded again") if emptied else opened
            except _Damaged as damage:
                moved = _move_aside(path)
                message = f"{path} was damaged ({damage}); it is kept as {moved.name} and its texts are embedded again"
                return CacheConnection(_connect(path), message, path.stat().st_ino)
    except (OSError, filelock.Timeout, sqlite3.Error, _Damaged) as error:
        raise unavailable(path, error) from error


def open_read_only(path: Path) -> CacheConnection:
    """Open the file without writing anything; a missing or damaged one is an empty cache in memory.

    Raises:
        StateUnavailable: The file cannot be opened, or a newer version wrote it.
    """
    if not path.exists():
        return CacheConnection(_empty())
    try:
        connection = _connect_uri(path)
        try:
            _verify(connection, path)
        except BaseException:
            connection.close()
            raise
    except _Damaged as damage:
        return CacheConnection(_empty(), f"{path} is damaged ({damage}); the next run rebuilds it")
    except sqlite3.Error as error:
        raise unavailable(path, error) from error
    return CacheConnection(connection)


@contextmanager
def open_foreign(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a foreign cache file for reading. Its schema must equal ours, so that no foreign view, trigger or virtual
    table runs.

    Raises:
        StateUnavailable: The file is not a sound cache file.
    """
    if not path.is_file():
        raise StateUnavailable(f"no embedding cache at {path}")
    try:
        with closing(_connect_uri(path)) as connection:
            connection.execute("PRAGMA cell_size_check = ON")
            _verify(connection, path)
            yield connection
    except (_Damaged, sqlite3.Error) as error:
        raise StateUnavailable(f"{path} is not a valid embedding cache: {error}") from error


def batches_of(db: sqlite3.Connection, path: Path) -> Iterator[tuple[str, int, list[tuple[bytes, bytes, int, int]]]]:
    """Yield (model id, dimensions, rows) of a foreign file, a few hundred rows at a time, without oversized blobs."""
    for number, name, dimensions in db.execute("SELECT id, name, dimensions FROM models ORDER BY id").fetchall():
        if not isinstance(name, str) or not isinstance(dimensions, int) or not 0 < dimensions <= _MAX_DIMENSIONS:
            raise StateUnavailable(f"{path} is not a valid embedding cache: a model has {dimensions!r} dimensions")
        rows = db.execute(
            "SELECT hash, CASE WHEN length(vector) IN (0, ?) THEN vector END, tokens, checksum FROM vectors "
            "WHERE model = ? AND length(hash) = 32 AND typeof(hash) = 'blob' ORDER BY rowid",
            (4 * dimensions, number),
        )
        while batch := rows.fetchmany(_BATCH):
            yield name, dimensions, batch


def set_aside(path: Path, inode: int) -> None:
    """Rename a file whose damage was detected while it was open, unless another process did so already.

    Raises:
        StateUnavailable: The file cannot be renamed.
    """
    try:
        with filelock.FileLock(f"{path}.lock", timeout=_BUSY_TIMEOUT_S):
            if path.exists() and path.stat().st_ino == inode:
                _move_aside(path)
    except (OSError, filelock.Timeout) as error:
        raise unavailable(path, error) from error


def _move_aside(path: Path) -> Path:
    """Rename a damaged file, with its journal, to the first free `NAME.corrupt-N`."""
    number = 1
    while (target := path.with_name(f"{path.name}.corrupt-{number}")).exists():
        number += 1
    os.replace(path, target)
    journal = Path(f"{path}-wal")
    if journal.exists():
        os.replace(journal, f"{target}-wal")
    Path(f"{path}-shm").unlink(missing_ok=True)
    return target


def is_damage(error: Exception) -> bool:
    """Return True if an error means a damaged file, not a temporary problem."""
    return getattr(error, "sqlite_errorname", "").startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB"))


def unavailable(path: Path, error: Exception) -> SearchSocketError:
    """Convert an error of SQLite, the lock or the system to a typed error."""
    return client_error("cannot use the embedding cache", path, error)


def _connect(path: Path) -> sqlite3.Connection:
    new = not path.exists() or path.stat().st_size == 0
    connection = sqlite3.connect(path, timeout=_BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False)
    try:
        if new:
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # before anything is in the file
        connection.execute("PRAGMA journal_mode = WAL")
        # One sync per batch costs little compared with a paid call, and paid vectors survive a power cut.
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA trusted_schema = OFF")
        if new:
            _create(connection)
        _verify(connection, path)
        share(path)
        connection.execute(_USES)
        connection.execute(f"PRAGMA user_version = {_VERSION}")
    except sqlite3.DatabaseError as error:
        connection.close()
        if is_damage(error):
            raise _Damaged(str(error)) from error
        raise
    except BaseException:
        connection.close()
        raise
    return connection


def _connect_uri(path: Path) -> sqlite3.Connection:
    # Without a journal the file is complete, and `immutable` prevents a new one. With a journal, a writer is running or
    # has died, and only SQLite's own read-only mode reads the journal.
    journal = Path(f"{path}-wal")
    live = journal.exists() and journal.stat().st_size > 0
    uri = f"{path.absolute().as_uri()}?mode=ro{'' if live else '&immutable=1'}"
    return sqlite3.connect(uri, uri=True, timeout=_BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False)


def _empty() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    _create(connection)
    return connection


def _create(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")
    for statement in _SCHEMA.values():
        connection.execute(statement)
    connection.execute(_USES)
    connection.execute(f"PRAGMA user_version = {_VERSION}")
    connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
    connection.execute("COMMIT")


def _verify(connection: sqlite3.Connection, path: Path) -> None:
    """Check that the file is an embedding cache, before any data is read."""
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        if _pragma(connection, "application_id") != _APPLICATION_ID:
            raise _Damaged("this file is not an embedding cache")
        if (version := _pragma(connection, "user_version")) > _VERSION:
            raise StateUnavailable(f"{path} was written by a newer searchsocket (format {version}); upgrade this one")
        schema = dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE name IN ('models', 'vectors')"))
        if schema != _SCHEMA:
            raise _Damaged("its tables are not those of an embedding cache")
        for table in _SCHEMA:
            connection.execute(f"SELECT * FROM {table} ORDER BY rowid DESC LIMIT 1").fetchone()
        connection.execute("SELECT 1 FROM vectors WHERE hash = ?", (bytes(32),)).fetchone()
    except sqlite3.DatabaseError as error:
        if is_damage(error):
            raise _Damaged(str(error)) from error
        raise


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
