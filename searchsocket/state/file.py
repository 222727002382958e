"""Open `state.db`. A damaged file is set aside, since every row can be rebuilt from the site."""

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from searchsocket.errors import NewerRelease, StateUnavailable
from searchsocket.state.history import GOLDEN_RESULT, HAS_GOLDEN
from searchsocket.state.schema import SCHEMA, SCHEMA_VERSION, DamagedRow, has_own_triggers, key_of_extract
from searchsocket.system.errors import client_error, system_errors
from searchsocket.system.files import make_folder, share

_BUSY_TIMEOUT_S = 60.0
# Problems of the machine, not of the file.
_TROUBLES = re.compile(r"SQLITE_(AUTH|BUSY|CANTOPEN|FULL|INTERRUPT|IOERR|LOCKED|NOMEM|PERM|PROTOCOL|READONLY)")


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Translate SQLite errors to `StateUnavailable`. A damaged file is renamed, so the next run starts empty.

    Raises:
        StateUnavailable: The file cannot be read or written: full disk, read-only, locked for too long, damaged.
    """
    inode = _inode(path)
    try:
        yield
    except (sqlite3.Error, DamagedRow) as error:
        if not _is_damage(error):
            raise client_error("cannot use", path, error) from error
        _set_aside(path, inode)
        raise StateUnavailable(f"{path} is damaged ({error}); it was renamed, run again to rebuild it") from error


def open_state(path: Path, on_damage: Callable[[str], None] = lambda message: None) -> sqlite3.Connection:
    """Open or create the state database. A damaged one is renamed to `*.corrupt` and replaced by an empty one.

    So is one of an older release; the new one keeps its results of golden queries.

    Args:
        on_damage: Called with a message about the damage.

    Raises:
        StateUnavailable: The file can be neither opened nor set aside.
    """
    with system_errors("cannot open", path):
        make_folder(path.parent)
        emptied = path.exists() and path.stat().st_size == 0
    inode = _inode(path)
    try:
        db = _open(path)
    except (sqlite3.DatabaseError, DamagedRow) as error:
        if not _is_damage(error):
            raise client_error("cannot open", path, error) from error
        _set_aside(path, inode)
        with translated(path):
            db = _open(path)
            if isinstance(error, _OlderSchema):
                _keep_golden_results(_set_aside_name(path), db)
        on_damage(f"{path} could not be used ({error}); it was renamed and is rebuilt")
    else:
        if emptied:
            on_damage(f"{path} was empty and is rebuilt")
    return db


def _is_damage(error: sqlite3.Error | DamagedRow) -> bool:
    """Return True if the file itself is damaged, not only locked or unreadable for now.

    Damage has many symptoms: a missing column, invalid text, a duplicate key.
    """
    name = str(getattr(error, "sqlite_errorname", "SQLITE_CORRUPT"))
    return not _TROUBLES.match(name) and not isinstance(error, sqlite3.ProgrammingError)


def _set_aside(path: Path, inode: int) -> None:
    """Rename a damaged database and delete its journal, unless another process did so already."""
    try:
        with FileLock(f"{path}.lock", timeout=_BUSY_TIMEOUT_S):
            if not inode or _inode(path) != inode:
                return
            for suffix in ("-wal", "-shm"):
                path.with_name(path.name + suffix).unlink(missing_ok=True)
            path.replace(_set_aside_name(path))
    except (OSError, Timeout) as error:
        raise StateUnavailable(f"{path} is damaged and cannot be renamed ({error}); delete it") from error


def _set_aside_name(path: Path) -> Path:
    return path.with_name(f"{path.name}.corrupt")


def _keep_golden_results(old: Path, db: sqlite3.Connection) -> None:
    """Copy the results of golden queries of all scopes into a new database, as far as the old one can be read."""
    sql = f"SELECT run_id, scope, stage, finished_at, {GOLDEN_RESULT} FROM stage_results WHERE {HAS_GOLDEN}"
    with suppress(sqlite3.Error), closing(look_into(old)) as source:
        source.execute("PRAGMA trusted_schema = OFF")
        rows = source.execute(f"{sql} ORDER BY rowid").fetchall()
        with transaction(db):
            db.executemany("INSERT OR IGNORE INTO stage_results VALUES (?, ?, ?, ?, ?)", rows)


def _inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except OSError:
        return 0  # missing or unreadable; opening it reports which


def look_into(path: Path) -> sqlite3.Connection:
    """Open the database read-only, without creating or repairing it."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=_BUSY_TIMEOUT_S)


def copy_state(path: Path, copy: Path) -> None:
    """Copy the database without writing next to it; without a database there is no copy.

    A damaged database counts as missing, since the planned run would rename it.

    Raises:
        StateUnavailable: The database cannot be read.
    """
    with system_errors("cannot read", path):
        if path.is_file() and not _copy_sound(path, copy):
            copy.unlink(missing_ok=True)


def _copy_sound(path: Path, copy: Path) -> bool:
    """Copy the database; return False if it is damaged."""
    # Without a journal nobody is writing, and `immutable` keeps SQLite from creating one.
    mode = "mode=ro" if path.with_name(f"{path.name}-wal").exists() else "mode=ro&immutable=1"
    try:
        with (
            closing(sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True)) as source,
            closing(sqlite3.connect(copy)) as target,
        ):
            source.backup(target)
            return bool(target.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")
    except sqlite3.Error as error:
        if _is_damage(error):
            return False
        raise client_error("cannot read", path, error) from error


def _open(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=_BUSY_TIMEOUT_S, isolation_level=None)
    try:
        # The state can be rebuilt, so NORMAL is enough: a power cut may undo the last commits, but never parts of one.
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute("PRAGMA foreign_keys = ON")
        db.execute("PRAGMA cache_size = -32768")
        db.create_function("key_of_extract", 5, key_of_extract, deterministic=True)
        _check_version(db)
        share(path)
    except UnicodeDecodeError as error:  # in SQLite's message about a schema that is not text
        db.close()
        raise DamagedRow("malformed schema") from error
    except BaseException:
        db.close()
        raise
    return db


class _OlderSchema(DamagedRow):
    """An older release wrote the database."""


def _check_version(db: sqlite3.Connection) -> None:
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version == 0:
        _create(db)
    elif version > SCHEMA_VERSION:
        path = db.execute("SELECT file FROM pragma_database_list WHERE name = 'main'").fetchone()[0]
        raise NewerRelease.of(path, f"schema {version}, this one reads {SCHEMA_VERSION}")
    elif version != SCHEMA_VERSION:
        raise _OlderSchema(f"schema version {version}, not {SCHEMA_VERSION}")
    elif not has_own_triggers(db):  # a checkout may have brought the file
        raise DamagedRow("it has views or triggers that searchsocket did not make")


def _create(db: sqlite3.Connection) -> None:
    db.execute("BEGIN IMMEDIATE")
    if db.execute("PRAGMA user_version").fetchone()[0] == 0:  # another process may have been first
        for statement in SCHEMA:
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    db.execute("COMMIT")


@contextmanager
def transaction(db: sqlite3.Connection, mode: str = "IMMEDIATE") -> Iterator[None]:
    """Write atomically; a nested transaction joins the outer one."""
    if db.in_transaction:
        yield
        return
    db.execute(f"BEGIN {mode}")
    try:
        yield
    except BaseException:
        with suppress(sqlite3.Error):  # on a full disk SQLite has rolled back by itself
            db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")
