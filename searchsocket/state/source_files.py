"""Digests of the files that made the indexed pages, to find files that changed since; one SQLite file per project.

The file can be deleted: changes are then unknown until a page is cut again.
"""

import os
import sqlite3
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, Self

from searchsocket.errors import StateUnavailable
from searchsocket.system.errors import client_error
from searchsocket.system.files import share

FILE = "sources.db"
MAX_BYTES = 64_000_000  # of a file; a larger one is not compared
_SETTLED_NS = 2_000_000_000  # a file that was written later may change again without another time
_TIMEOUT_S = 30.0
_BATCH = 500
_TABLE = (
    "CREATE TABLE IF NOT EXISTS sources (scope TEXT, file TEXT, size INTEGER, mtime_ns INTEGER, digest BLOB, "
    "PRIMARY KEY (scope, file)) WITHOUT ROWID"
)


class SourceFile(NamedTuple):
    """State of a file: its size and time only decide if it must be read."""

    size: int
    mtime_ns: int  # -1 = not settled
    digest: bytes

    def has_stamp(self, info: os.stat_result) -> bool:
        """Return True if size and time are those of the file."""
        return (self.size, self.mtime_ns) == (info.st_size, info.st_mtime_ns)

    @classmethod
    def read(cls, path: str, now_ns: int) -> Self | None:
        """Read a file; None if it is no file, too large, or cannot be read."""
        try:
            info = os.lstat(path)
            digest = digest_of_file(path)
        except OSError:
            return None
        is_settled = now_ns - info.st_mtime_ns > _SETTLED_NS
        return cls(info.st_size, info.st_mtime_ns if is_settled else -1, digest) if digest else None


def digest_of_file(path: str) -> bytes:
    """Return the sha256 of a file's bytes; empty if it is a link, too large or no regular file.

    Raises:
        OSError: It cannot be read.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        info = os.fstat(descriptor)
        is_read = stat.S_ISREG(info.st_mode) and info.st_size <= MAX_BYTES
        return sha256(file.read(MAX_BYTES)).digest() if is_read else b""


class SourceFiles:
    """The digests in a state folder. Files are relative to the project."""

    def __init__(self, state_dir: Path) -> None:
        self._path = state_dir.absolute() / FILE

    def of(self, scope: str, files: Sequence[str]) -> Mapping[str, SourceFile]:
        """Return the state of at most 500 files when they were indexed; changes nothing, unknown ones are left out."""
        marks = ",".join("?" * len(files))
        return dict(self._rows(f"SELECT * FROM sources WHERE scope = ? AND file IN ({marks})", (scope, *files)))

    def all(self, scope: str) -> Mapping[str, SourceFile]:
        """Return the state of all files of a scope."""
        return dict(self._rows("SELECT * FROM sources WHERE scope = ?", (scope,)))

    def put(self, scope: str, files: Mapping[str, SourceFile], gone: Iterable[str] = ()) -> None:
        """Store the state of files, and remove others.

        Raises:
            StateUnavailable: The file cannot be written.
        """
        with self._writing() as db:
            db.executemany("DELETE FROM sources WHERE scope = ? AND file = ?", ((scope, file) for file in gone))
            rows = ((scope, file, *state) for file, state in files.items())
            db.executemany("INSERT OR REPLACE INTO sources VALUES (?, ?, ?, ?, ?)", rows)

    def forget(self, scope: str) -> None:
        """Remove all files of a scope.

        Raises:
            StateUnavailable: The file cannot be written.
        """
        if self._path.exists():
            with self._writing() as db:
                db.execute("DELETE FROM sources WHERE scope = ?", (scope,))

    def _rows(self, query: str, values: Sequence[str]) -> Iterator[tuple[str, SourceFile]]:
        rows = []
        with suppress(sqlite3.Error), closing(sqlite3.connect(f"{self._path.as_uri()}?mode=ro", uri=True)) as db:
            rows = db.execute(query, values).fetchall()
        yield from ((file, SourceFile(*state)) for _, file, *state in rows)

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(self._path, timeout=_TIMEOUT_S, isolation_level=None)) as db:
                db.execute(_TABLE)
                share(self._path)
                db.execute("BEGIN IMMEDIATE")
                yield db
                db.execute("COMMIT")
        except sqlite3.DatabaseError as error:
            if type(error) is sqlite3.DatabaseError:  # damaged: a later run fills a new one
                self._path.unlink(missing_ok=True)
                raise StateUnavailable(f"{self._path} was damaged and was removed; run again") from error
            raise client_error("cannot use", self._path, error) from error
