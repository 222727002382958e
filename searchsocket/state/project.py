"""State of a project, one part per scope."""

import os
import sqlite3
import tempfile
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from searchsocket.state.chunks import Published
from searchsocket.state.extracts import Extracts
from searchsocket.state.file import copy_state, look_into, open_state, transaction, translated
from searchsocket.state.history import GoldenRun, History, golden_runs, last_ends, last_of_scopes, results_of
from searchsocket.state.inventory import Inventory, ListedFile
from searchsocket.state.scope import ScopeState, begin
from searchsocket.system.errors import client_error
from searchsocket.system.json_text import JsonObject
from searchsocket.system.locks import scope_lock
from searchsocket.types import Generation

_TABLES = ("scopes", "chunked", "pages", "resolutions", "unpublished", "stage_results")  # the others follow their pages
_PAGE_STEPS = (
    # After this step the page is known but not processed: if the deletion stops later, a run can continue from here.
    "UPDATE pages SET extract_key = '', mirror_digest = '', chunk_key = '' WHERE id = ?",
    "UPDATE pages SET content_id = NULL WHERE id = ?",
    "DELETE FROM chunked WHERE page_id = ?",
    "DELETE FROM pages WHERE id = ?",
)


def forget_rows(db: sqlite3.Connection, scope: str) -> None:
    """Delete the rows of a scope.

    Raises:
        sqlite3.Error: The rows cannot be deleted; on a full disk, only some may be deleted.
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
    """Delete in small steps, so that the journal stays small; each step costs a flush of the disk.

    Needed on a full disk: a scope that started from another one shares its files, so deleting them frees little.
    """
    db.execute("PRAGMA wal_autocheckpoint = 1")  # each step overwrites the journal of the previous one
    db.execute("DELETE FROM scopes WHERE scope = ?", (scope,))  # first, so that its chunks are no longer counted
    for (page,) in db.execute("SELECT id FROM pages WHERE scope = ?", (scope,)).fetchall():
        for step in _PAGE_STEPS:
            db.execute(step, (page,))
    for (row,) in db.execute("SELECT rowid FROM stage_results WHERE scope = ?", (scope,)).fetchall():
        db.execute("DELETE FROM stage_results WHERE rowid = ?", (row,))
    for table in ("resolutions", "unpublished"):
        db.execute(f"DELETE FROM {table} WHERE scope = ?", (scope,))


STATE_FILE = "state.db"
# Pages by their cut, then chunks by their text: both are read from an index.
_OWN_TEXTS = """SELECT first, SUM(chunks) FROM (
    SELECT MIN(first) AS first, SUM(pages) AS chunks FROM chunks JOIN (
        SELECT records_id AS cut, MIN(scope) AS first, MAX(scope) AS last, COUNT(*) AS pages
        FROM chunked GROUP BY records_id
    ) ON records_id = cut GROUP BY content_hash HAVING MIN(first) = MAX(last)
) GROUP BY first"""


@dataclass(frozen=True, slots=True)
class ProjectState:
    """The states of a project's scopes. Stages of one scope are serial; those of different scopes run in parallel."""

    folder: Path

    @property
    def file(self) -> Path:
        return self.folder / STATE_FILE

    @contextmanager
    def open(self, scope: str, on_damage: Callable[[str], None] = lambda message: None) -> Iterator[ScopeState]:
        """Open the state of one scope, creating it if missing; it is closed at the end of the block.

        Args:
            on_damage: Called with a message if a damaged state is replaced by an empty one.

        Raises:
            StateUnavailable: The state cannot be read or written, or is damaged; then the next run starts empty.
                `PermissionDenied` if it belongs to another user.
        """
        with translated(self.file), closing(open_state(self.file, on_damage)) as db:
            yield begin(db, scope)

    def lock(
        self, scope: str, *, timeout_s: float = 0.0, on_wait: Callable[[str], None] = lambda owner: None
    ) -> AbstractContextManager[None]:
        """Return the advisory lock of one scope, which every run takes.

        The same thread may take it again. It is released when its process ends.

        Args:
            timeout_s: How long to wait for another owner; 0 = not at all.
            on_wait: Called before the wait with the owner of the lock.

        Raises:
            ScopeLocked: Another process or thread has the lock.
            StateUnavailable: The lock cannot be taken; `PermissionDenied` if it belongs to another user.
        """
        return scope_lock(self.folder, scope, timeout_s=timeout_s, on_wait=on_wait)

    @contextmanager
    def dry_copy(self) -> Iterator["ProjectState"]:
        """Yield a temporary copy for a dry run; empty if the state is damaged or missing.

        Raises:
            StateUnavailable: The state cannot be read.
        """
        with tempfile.TemporaryDirectory(prefix="searchsocket-state-") as folder:
            copy = ProjectState(Path(folder))
            copy_state(self.file, copy.file)
            yield copy

    def results_of(self, run_id: str) -> Sequence[JsonObject]:
        """Return the stage reports of a run, in the order in which the stages ended; see `History`."""
        with translated(self.file), closing(open_state(self.file)) as db:
            return results_of(db, run_id)

    def last_reports(self, stage: str) -> Mapping[str, JsonObject]:
        """Return the newest report of a stage by scope; read without changing anything."""
        with suppress(sqlite3.Error, ValueError), closing(look_into(self.file)) as db:
            return last_of_scopes(db, stage)
        return {}

    def golden_runs(self, scope: str, limit: int) -> list[GoldenRun]:
        """Return the measures of golden queries in the newest runs of a scope; read without changing anything."""
        with suppress(sqlite3.Error, ValueError, TypeError), closing(look_into(self.file)) as db:
            return golden_runs(db, scope, limit)
        return []

    def last_report(self, scope: str, stage: str) -> JsonObject | None:
        """Return the newest report of a stage of one scope, or None; read without changing anything."""
        # The next run repairs a state that is missing, damaged or of another release.
        with suppress(sqlite3.Error, ValueError), closing(look_into(self.file)) as db:
            return History(db, scope).last(stage)
        return None

    def listed(self, scope: str) -> Mapping[str, ListedFile]:
        """Return the known pages of a scope by rising URL; read without changing anything."""
        with suppress(sqlite3.Error, ValueError), closing(look_into(self.file)) as db:
            return Inventory(db, scope).listed()
        return {}

    def skipped(self, scope: str) -> Mapping[str, str]:
        """Return the reason of each known page of a scope that a stage left out; read without changing anything."""
        with suppress(sqlite3.Error, ValueError), closing(look_into(self.file)) as db:
            return {page.url: page.skip for page in Extracts(db, scope).skipped(-1)}
        return {}

    def is_published(self, scope: str, live: Generation) -> bool:
        """Return True if a generation contains every chunk of the last run; read without changing anything."""
        with suppress(sqlite3.Error, ValueError), closing(look_into(self.file)) as db:
            published = Published(db, scope)
            return published.is_of(live) and next(published.changes(), None) is None
        return False

    def version(self) -> Hashable:
        """Return a version that changes with every write; cheap enough to read with every query."""
        versions = []
        for suffix in ("", "-wal"):
            with suppress(OSError):
                info = os.stat(f"{self.file}{suffix}")
                versions.append((info.st_ino, info.st_size, info.st_mtime_ns))
        return tuple(versions)

    def last_ends(self) -> Mapping[str, str]:
        """Return the time of each scope's last stage (ISO 8601); read without changing anything."""
        with suppress(sqlite3.Error, ValueError), closing(look_into(self.file)) as db:
            return last_ends(db)
        return {}

    def branches(self) -> Mapping[str, str]:
        """Return the branch of each scope, if known; read without changing anything."""
        with suppress(sqlite3.Error, ValueError), closing(look_into(self.file)) as db:
            return dict(db.execute("SELECT scope, branch FROM scopes WHERE branch != '' ORDER BY scope"))
        return {}

    def own_texts(self) -> Mapping[str, int]:
        """Count the chunks per scope with a text that no other scope contains; read without changing anything."""
        with suppress(sqlite3.Error, ValueError), closing(look_into(self.file)) as db:
            return dict(db.execute(_OWN_TEXTS))
        return {}

    def scopes(self) -> list[str]:
        """Return the names of the scopes with state, sorted.

        Raises:
            StateUnavailable: There is no state, or it cannot be read; it stays unchanged.
        """
        return list(self._column("SELECT scope FROM scopes ORDER BY scope"))

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
            StateUnavailable: The state cannot be written.
        """
        if not self.file.exists():
            return
        with translated(self.file), closing(open_state(self.file)) as db:
            forget_rows(db, scope)
