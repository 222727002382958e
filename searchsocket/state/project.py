"""State of a project, one part per scope."""

import os
import sqlite3
import tempfile
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from searchsocket.state.file import copy_state, look_into, open_state, transaction, translated
from searchsocket.state.history import GoldenRun, History, golden_runs, last_ends, last_of_scopes, results_of
from searchsocket.state.inventory import Inventory, ListedFile
from searchsocket.state.published import Published
from searchsocket.state.scope import ScopeState, begin
from searchsocket.state.sql import as_text
from searchsocket.system.errors import client_error
from searchsocket.system.locks import scope_lock
from searchsocket.types import Generation

_TABLES = ("scopes", "chunks", "chunked", "pages", "unpublished", "stage_results")  # the others follow their pages
_PAGE_STEPS = (
    # From here on it is a page that is known, of which nothing was made: wherever this ends, a run goes on from it.
    "UPDATE pages SET extract_key = '', mirror_digest = '', chunk_key = '' WHERE id = ?",
    "DELETE FROM links WHERE page_id = ?",
    "DELETE FROM chunks WHERE page_id = ?",
    "DELETE FROM contents WHERE page_id = ?",
    "DELETE FROM titles WHERE page_id = ?",
    "DELETE FROM version_pages WHERE page_id = ?",
    "DELETE FROM language_pages WHERE page_id = ?",
    "DELETE FROM chunked WHERE page_id = ?",
    "DELETE FROM pages WHERE id = ?",
)


def forget_rows(db: sqlite3.Connection, scope: str) -> None:
    """Delete the rows of a scope.

    Raises:
        sqlite3.Error: They cannot be deleted; on a disk without room for one page's, only some are.
    """
    try:
        with transaction(db):
            for table in _TABLES:
                db.execute(f"DELETE FROM {table} WHERE scope = ?", (scope,))
    except sqlite3.OperationalError as error:
        if error.sqlite_errorname != "SQLITE_FULL":
            raise
        forget_in_steps(db, scope)


def forget_in_steps(db: sqlite3.Connection, scope: str) -> None:
    """Delete so little at a time that the journal stays small; each step costs a flush of the disk.

    A scope that began from another one shares its files with that one, so that deleting them freed next to nothing.
    """
    db.execute("PRAGMA wal_autocheckpoint = 1")  # each step writes over the one before
    db.execute("DELETE FROM scopes WHERE scope = ?", (scope,))  # first, so that its chunks are no longer counted
    for (page,) in db.execute("SELECT id FROM pages WHERE scope = ?", (scope,)).fetchall():
        for step in _PAGE_STEPS:
            db.execute(step, (page,))
    for (row,) in db.execute("SELECT rowid FROM stage_results WHERE scope = ?", (scope,)).fetchall():
        db.execute("DELETE FROM stage_results WHERE rowid = ?", (row,))
    db.execute("DELETE FROM unpublished WHERE scope = ?", (scope,))


STATE_FILE = "state.db"
# Read from an index that holds both columns.
_OWN_TEXTS = """SELECT scope, SUM(chunks) FROM (
    SELECT MIN(scope) AS scope, COUNT(*) AS chunks FROM chunks GROUP BY content_hash HAVING MIN(scope) = MAX(scope)
) GROUP BY scope"""


@dataclass(frozen=True, slots=True)
class ProjectState:
    """The states of a project's scopes. Stages of one scope are serial; those of different scopes run side by side."""

    folder: Path

    @property
    def file(self) -> Path:
        return self.folder / STATE_FILE

    @contextmanager
    def open(self, scope: str, on_damage: Callable[[str], None] = lambda message: None) -> Iterator[ScopeState]:
        """The state of one scope, which is begun where there is none; closed afterwards.

        Args:
            on_damage: Hears what was wrong with a state that is begun anew.

        Raises:
            StateUnavailable: It cannot be read or written, or turned out damaged: then the next run begins anew.
                `PermissionDenied` where it is another user's.
        """
        with translated(self.file), closing(open_state(self.file, on_damage)) as db:
            yield begin(db, scope)

    def lock(
        self, scope: str, *, timeout_s: float = 0.0, on_wait: Callable[[str], None] = lambda owner: None
    ) -> AbstractContextManager[None]:
        """Advisory lock of one scope, taken by every run.

        The same thread may take it again. It ends with its process.

        Args:
            timeout_s: How long to wait for another owner; 0 = not at all.
            on_wait: Called before the wait, with who holds the lock.

        Raises:
            ScopeLocked: Another process or thread holds it.
            StateUnavailable: It cannot be taken; `PermissionDenied` where it is another user's.
        """
        return scope_lock(self.folder, scope, timeout_s=timeout_s, on_wait=on_wait)

    @contextmanager
    def dry_copy(self) -> Iterator["ProjectState"]:
        """Temporary copy for a dry run; empty if the state is damaged or missing.

        Raises:
            StateUnavailable: The state cannot be read.
        """
        with tempfile.TemporaryDirectory(prefix="searchsocket-state-") as folder:
            copy = ProjectState(Path(folder))
            copy_state(self.file, copy.file)
            yield copy

    def results_of(self, run_id: str) -> Sequence[Mapping[str, Any]]:
        """Stage reports of a run, in the order in which the stages ended; see `History`."""
        with translated(self.file), closing(open_state(self.file)) as db:
            return results_of(db, run_id)

    def last_reports(self, stage: str) -> Mapping[str, Mapping[str, Any]]:
        """The newest report of a stage by scope, as far as it can be had without touching anything."""
        with suppress(sqlite3.Error, ValueError), closing(look_into(self.file)) as db:
            return last_of_scopes(db, stage)
        return {}

    def golden_runs(self, scope: str, limit: int) -> list[GoldenRun]:
        """Measures of golden queries in the newest runs of a scope; read without changing anything."""
        with suppress(sqlite3.Error, ValueError, TypeError), closing(look_into(self.file)) as db:
            return golden_runs(db, scope, limit)
        return []

    def last_report(self, scope: str, stage: str) -> Mapping[str, Any] | None:
        # A state that is not there, damaged or of another release is for the next run to mend.
        """The newest report of a stage of one scope, where it can be had without touching anything; else None."""
        with suppress(sqlite3.Error, ValueError), closing(look_into(self.file)) as db:
            return History(db, scope).last(stage)
        return None

    def listed(self, scope: str) -> Mapping[str, ListedFile]:
        """The known pages of a scope by rising URL, as far as they can be had without touching anything."""
        with suppress(sqlite3.Error, ValueError), closing(look_into(self.file)) as db:
            return Inventory(db, scope).listed()
        return {}

    def is_published(self, scope: str, live: Generation) -> bool:
        """True if a generation contains every chunk of the last run; read without changing anything."""
        with suppress(sqlite3.Error, ValueError), closing(look_into(self.file)) as db:
            published = Published(db, scope)
            return published.is_of(live) and next(published.changes(), None) is None
        return False

    def version(self) -> Hashable:
        """Version that changes with every write; cheap enough to read with every query."""
        versions = []
        for suffix in ("", "-wal"):
            with suppress(OSError):
                info = os.stat(f"{self.file}{suffix}")
                versions.append((info.st_ino, info.st_size, info.st_mtime_ns))
        return tuple(versions)

    def last_ends(self) -> Mapping[str, str]:
        """Time of each scope's last stage (ISO 8601); read without changing anything."""
        with suppress(sqlite3.Error, ValueError), closing(look_into(self.file)) as db:
            return last_ends(db)
        return {}

    def branches(self) -> Mapping[str, str]:
        """Branch of each scope, if known; read without changing anything."""
        with suppress(sqlite3.Error, ValueError), closing(look_into(self.file)) as db:
            return dict(db.execute("SELECT scope, branch FROM scopes WHERE branch != '' ORDER BY scope"))
        return {}

    def own_texts(self) -> Mapping[str, int]:
        """Number of chunks per scope with a text that no other scope contains; read without changing anything."""
        with suppress(sqlite3.Error, ValueError), closing(look_into(self.file)) as db:
            return dict(db.execute(_OWN_TEXTS))
        return {}

    def scopes(self) -> list[str]:
        """Names of the scopes with state, sorted.

        Raises:
            StateUnavailable: There is no state, or it cannot be read; it is left as it is.
        """
        return list(self._column("SELECT scope FROM scopes ORDER BY scope"))

    def texts(self) -> Iterator[str]:
        """The hash of every text of every scope, distinct; streams. Raises what `scopes` does."""
        return map(as_text, self._column("SELECT DISTINCT content_hash FROM chunks"))

    def _column(self, query: str) -> Iterator[str]:
        try:
            with closing(look_into(self.file)) as db:
                for (value,) in db.execute(query):
                    yield value
        except sqlite3.Error as error:
            raise client_error("cannot read", self.file, error) from error

    def forget(self, scope: str) -> None:
        """Delete the state of one scope; the caller must have its lock.

        Raises:
            StateUnavailable: It cannot be written.
        """
        if not self.file.exists():
            return
        with translated(self.file), closing(open_state(self.file)) as db:
            forget_rows(db, scope)
