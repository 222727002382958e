"""Opening `state.db`. Everything in it can be built again from the site, so a damaged file is set aside."""

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from searchsocket.errors import StateUnavailable
from searchsocket.system.errors import client_error, system_error
from searchsocket.system.files import make_folder, share

SCHEMA_VERSION = 5
_BUSY_TIMEOUT_S = 60.0
# Of the machine, not of the file.
_TROUBLES = re.compile(r"SQLITE_(AUTH|BUSY|CANTOPEN|FULL|INTERRUPT|IOERR|LOCKED|NOMEM|PERM|PROTOCOL|READONLY)")
_SCHEMA = """
CREATE TABLE scopes (
    scope TEXT PRIMARY KEY,
    authoritative INTEGER NOT NULL DEFAULT 0,  -- a complete run has seen every page, so absence means removal
    page_set_changed INTEGER NOT NULL DEFAULT 1,  -- pages came or went since links were resolved
    swept INTEGER NOT NULL DEFAULT 0,  -- the mirror was searched for files of pages that an older state knew
    routes_digest TEXT NOT NULL DEFAULT '',
    -- name and digest of the generation that holds what `chunks` holds, but for `unpublished`; '' = not known
    published TEXT NOT NULL DEFAULT '',
    cache_size INTEGER NOT NULL DEFAULT -1  -- of the embedding cache when it last held every text; -1 = never
) WITHOUT ROWID;
CREATE TABLE pages (
    id INTEGER PRIMARY KEY,
    scope TEXT NOT NULL,
    url TEXT NOT NULL,
    served_url TEXT NOT NULL,
    locator TEXT NOT NULL,
    kind TEXT NOT NULL,
    stamp TEXT NOT NULL,
    raw_hash TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    removed INTEGER NOT NULL DEFAULT 0,  -- gone from a complete source; later stages drop what they hold
    extract_key TEXT NOT NULL DEFAULT '',  -- raw bytes, settings and extractor that `extract` came from
    skip TEXT NOT NULL DEFAULT '',
    redirect_to TEXT NOT NULL DEFAULT '',
    dirty INTEGER NOT NULL DEFAULT 0,  -- the mirror file may have to change
    mirror_digest TEXT NOT NULL DEFAULT '',
    mirror_stamp TEXT NOT NULL DEFAULT '',
    generated_at TEXT NOT NULL DEFAULT '',
    route_resolution TEXT NOT NULL DEFAULT '',
    chunk_key TEXT NOT NULL DEFAULT '',  -- mirror digest, settings and model that the page's chunks came from
    UNIQUE (scope, url)
);
-- Finds the same page in another scope.
CREATE INDEX pages_extracted ON pages (extract_key, url);
CREATE INDEX pages_dirty ON pages (scope, dirty) WHERE dirty = 1;
-- What pages say, apart: rows of `pages` are read and written often, and stay small.
CREATE TABLE contents (
    page_id INTEGER PRIMARY KEY REFERENCES pages (id) ON DELETE CASCADE,
    facts BLOB NOT NULL,  -- zlib of JSON: ExtractedPage without body and links
    body BLOB NOT NULL  -- zlib
);
CREATE TABLE links (
    page_id INTEGER NOT NULL REFERENCES pages (id) ON DELETE CASCADE,
    scope TEXT NOT NULL,
    target TEXT NOT NULL,
    text TEXT NOT NULL,
    resolved TEXT  -- url of a known page, '' when there is none, NULL when not looked up yet
);
CREATE INDEX links_of_page ON links (page_id);
CREATE INDEX links_to_page ON links (scope, resolved, page_id);
CREATE INDEX links_unresolved ON links (scope, target) WHERE resolved IS NULL;
CREATE TABLE chunks (
    scope TEXT NOT NULL,
    id TEXT NOT NULL,
    page_id INTEGER NOT NULL REFERENCES pages (id) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    content_hash TEXT NOT NULL,
    tokens INTEGER NOT NULL,  -- of the embedded text, as the model counts them
    record_hash TEXT NOT NULL,
    record TEXT NOT NULL  -- the JSON that `record_hash` is the sha256 of
);
CREATE UNIQUE INDEX chunks_fingerprint ON chunks (scope, id, record_hash);
CREATE INDEX chunks_of_page ON chunks (page_id);
CREATE INDEX chunks_content ON chunks (scope, content_hash, tokens);
-- One row a page that has chunks, so that counting and comparing them reads few bytes.
CREATE TABLE chunked (
    scope TEXT NOT NULL,
    page_id INTEGER NOT NULL REFERENCES pages (id) ON DELETE CASCADE,
    chunks INTEGER NOT NULL,
    records_digest TEXT NOT NULL,
    texts_digest TEXT NOT NULL,
    PRIMARY KEY (scope, page_id)
) WITHOUT ROWID;
CREATE INDEX chunked_page ON chunked (page_id);
-- Chunks that came, went or changed since `scopes.published`, kept by the triggers whoever changes them.
CREATE TABLE unpublished (
    scope TEXT NOT NULL,
    id TEXT NOT NULL,
    live_hash TEXT,  -- of the record in the generation, NULL when it has none
    PRIMARY KEY (scope, id)
) WITHOUT ROWID;
CREATE TRIGGER chunk_came AFTER INSERT ON chunks WHEN (SELECT published FROM scopes WHERE scope = new.scope) != ''
BEGIN INSERT OR IGNORE INTO unpublished VALUES (new.scope, new.id, NULL); END;
CREATE TRIGGER chunk_went AFTER DELETE ON chunks WHEN (SELECT published FROM scopes WHERE scope = old.scope) != ''
BEGIN INSERT OR IGNORE INTO unpublished VALUES (old.scope, old.id, old.record_hash); END;
CREATE TABLE stage_results (
    run_id TEXT NOT NULL,
    scope TEXT NOT NULL,
    stage TEXT NOT NULL,
    finished_at TEXT NOT NULL,
    result TEXT NOT NULL,  -- JSON: StageResult
    PRIMARY KEY (run_id, stage)
);
CREATE INDEX stage_results_of_scope ON stage_results (scope, stage, finished_at);
"""


class DamagedRow(sqlite3.DatabaseError):
    """A row does not hold what was written into it."""

    sqlite_errorname = "SQLITE_CORRUPT"


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn the driver's errors into ours; a file that turns out damaged is renamed, so that the next run begins anew.

    Raises:
        StateUnavailable: The file cannot be read or written: full disk, read-only, locked for too long, damaged.
    """
    inode = _inode(path)
    try:
        yield
    except sqlite3.Error as error:
        if not _is_damage(error):
            raise client_error("cannot use", path, error) from error
        _set_aside(path, inode)
        raise StateUnavailable(f"{path} is damaged ({error}); it is set aside, run again to build it anew") from error


def open_state(path: Path, on_damage: Callable[[str], None] = lambda message: None) -> sqlite3.Connection:
    """Open, or create, the state database; a damaged one is renamed to `*.corrupt` and begun anew.

    Args:
        on_damage: Hears what was wrong with the file before.

    Raises:
        StateUnavailable: The file can be neither opened nor set aside.
    """
    try:
        make_folder(path.parent)
        emptied = path.exists() and path.stat().st_size == 0
    except OSError as error:
        raise system_error("cannot open", path, error) from error
    inode = _inode(path)
    try:
        db = _open(path)
    except sqlite3.DatabaseError as error:
        if not _is_damage(error):
            raise client_error("cannot open", path, error) from error
        _set_aside(path, inode)
        with translated(path):
            db = _open(path)
        on_damage(f"{path} could not be used ({error}); it is set aside and built anew")
    else:
        if emptied:
            on_damage(f"{path} was empty; it is built anew")
    return db


def _is_damage(error: sqlite3.Error) -> bool:
    """Whether the file itself is broken, rather than not to be had just now.

    A wrong byte shows in many ways: a column that is not there, a text that is none, a key that is there twice.
    """
    name = str(getattr(error, "sqlite_errorname", "SQLITE_CORRUPT"))
    return not _TROUBLES.match(name) and not isinstance(error, sqlite3.ProgrammingError)


def _set_aside(path: Path, inode: int) -> None:
    """Rename a damaged database, with its journal, out of the way, unless another process did so already."""
    try:
        with FileLock(f"{path}.lock", timeout=_BUSY_TIMEOUT_S):
            if not inode or _inode(path) != inode:
                return
            for suffix in ("-wal", "-shm"):
                path.with_name(path.name + suffix).unlink(missing_ok=True)
            path.replace(path.with_name(f"{path.name}.corrupt"))
    except (OSError, Timeout) as error:
        raise StateUnavailable(f"{path} is damaged and cannot be renamed ({error}); delete it") from error


def _inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except OSError:
        return 0  # not there, or not to be looked at: whoever opens it says which


def open_copy(path: Path, copy: Path) -> sqlite3.Connection:
    """A private copy of the database, for runs that must not write to the original; empty when there is none.

    A damaged one counts as none: the run that is planned would set it aside.
    """
    try:
        if path.is_file() and not _copied(path, copy):
            copy.unlink(missing_ok=True)
    except OSError as error:
        raise system_error("cannot read", path, error) from error
    return open_state(copy)


def _copied(path: Path, copy: Path) -> bool:
    # Without a journal beside it nobody is writing, and `immutable` keeps SQLite from creating one.
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
        # The state can be rebuilt, so NORMAL (a power cut may undo the last commits, never tear them) is enough.
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute("PRAGMA foreign_keys = ON")
        db.execute("PRAGMA cache_size = -32768")
        _check_version(db)
        share(path)
    except UnicodeDecodeError as error:  # of SQLite's own message about a schema that is no text
        db.close()
        raise DamagedRow("malformed schema") from error
    except BaseException:
        db.close()
        raise
    return db


def _check_version(db: sqlite3.Connection) -> None:
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version == 0:
        _create(db)
    elif version != SCHEMA_VERSION:  # written by another release: begun anew, like a damaged one
        raise DamagedRow(f"schema version {version}, not {SCHEMA_VERSION}")


def _create(db: sqlite3.Connection) -> None:
    db.execute("BEGIN IMMEDIATE")
    if db.execute("PRAGMA user_version").fetchone()[0] == 0:  # another process may have been first
        for statement in _SCHEMA.split(";\n"):
            if statement.strip():
                db.execute(statement)
        db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    db.execute("COMMIT")


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """One atomic write; nested in another, it belongs to that one."""
    if db.in_transaction:
        yield
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        with suppress(sqlite3.Error):  # on a full disk SQLite has rolled back by itself
            db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")
