"""`state.db` of one project; see `state.base.project`."""

import os
import sqlite3
import tempfile
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from searchsocket.state.base.inventory import ListedFile
from searchsocket.state.base.scope import ScopeState
from searchsocket.state.sqlite.file import copy_state, look_into, open_state, translated
from searchsocket.state.sqlite.forget import forget_rows
from searchsocket.state.sqlite.hashes import as_text
from searchsocket.state.sqlite.history import SqliteHistory, last_ends, last_of_scopes, results_of
from searchsocket.state.sqlite.inventory import SqliteInventory
from searchsocket.state.sqlite.published import SqlitePublished
from searchsocket.state.sqlite.scope import begin
from searchsocket.system.errors import client_error
from searchsocket.system.locks import scope_lock
from searchsocket.types import Generation

FILE = "state.db"
# Read from an index that holds both columns.
_OWN_TEXTS = """SELECT scope, SUM(chunks) FROM (
    SELECT MIN(scope) AS scope, COUNT(*) AS chunks FROM chunks GROUP BY content_hash HAVING MIN(scope) = MAX(scope)
) GROUP BY scope"""


@dataclass(frozen=True, slots=True)
class SqliteProject:
    """The states of a project's scopes in one file, with their locks beside it."""

    folder: Path

    @property
    def file(self) -> Path:
        return self.folder / FILE

    @contextmanager
    def open(self, scope: str, on_damage: Callable[[str], None] = lambda message: None) -> Iterator[ScopeState]:
        with translated(self.file), closing(open_state(self.file, on_damage)) as db:
            yield begin(db, scope)

    def lock(
        self, scope: str, *, timeout_s: float = 0.0, on_wait: Callable[[str], None] = lambda owner: None
    ) -> AbstractContextManager[None]:
        return scope_lock(self.folder, scope, timeout_s=timeout_s, on_wait=on_wait)

    @contextmanager
    def dry_copy(self) -> Iterator["SqliteProject"]:
        with tempfile.TemporaryDirectory(prefix="searchsocket-state-") as folder:
            copy = SqliteProject(Path(folder))
            copy_state(self.file, copy.file)
            yield copy

    def results_of(self, run_id: str) -> Sequence[Mapping[str, Any]]:
        with translated(self.file), closing(open_state(self.file)) as db:
            return results_of(db, run_id)

    def last_reports(self, stage: str) -> Mapping[str, Mapping[str, Any]]:
        with suppress(sqlite3.Error, ValueError), closing(look_into(self.file)) as db:
            return last_of_scopes(db, stage)
        return {}

    def last_report(self, scope: str, stage: str) -> Mapping[str, Any] | None:
        # A state that is not there, damaged or of another release is for the next run to mend.
        with suppress(sqlite3.Error, ValueError), closing(look_into(self.file)) as db:
            return SqliteHistory(db, scope).last(stage)
        return None

    def listed(self, scope: str) -> Mapping[str, ListedFile]:
        with suppress(sqlite3.Error, ValueError), closing(look_into(self.file)) as db:
            return SqliteInventory(db, scope).listed()
        return {}

    def is_published(self, scope: str, live: Generation) -> bool:
        with suppress(sqlite3.Error, ValueError), closing(look_into(self.file)) as db:
            published = SqlitePublished(db, scope)
            return published.is_of(live) and next(published.changes(), None) is None
        return False

    def version(self) -> Hashable:
        found = []
        for suffix in ("", "-wal"):
            with suppress(OSError):
                info = os.stat(f"{self.file}{suffix}")  # noqa: PTH116  a Path costs as much as the call
                found.append((info.st_ino, info.st_size, info.st_mtime_ns))
        return tuple(found)

    def last_ends(self) -> Mapping[str, str]:
        with suppress(sqlite3.Error, ValueError), closing(look_into(self.file)) as db:
            return last_ends(db)
        return {}

    def branches(self) -> Mapping[str, str]:
        with suppress(sqlite3.Error, ValueError), closing(look_into(self.file)) as db:
            return dict(db.execute("SELECT scope, branch FROM scopes WHERE branch != '' ORDER BY scope"))
        return {}

    def own_texts(self) -> Mapping[str, int]:
        with suppress(sqlite3.Error, ValueError), closing(look_into(self.file)) as db:
            return dict(db.execute(_OWN_TEXTS))
        return {}

    def scopes(self) -> list[str]:
        return list(self._column("SELECT scope FROM scopes ORDER BY scope"))

    def texts(self) -> Iterator[str]:
        return map(as_text, self._column("SELECT DISTINCT content_hash FROM chunks"))

    def _column(self, query: str) -> Iterator[str]:
        try:
            with closing(look_into(self.file)) as db:
                for (value,) in db.execute(query):
                    yield value
        except sqlite3.Error as error:
            raise client_error("cannot read", self.file, error) from error

    def forget(self, scope: str) -> None:
        if not self.file.exists():
            return
        with translated(self.file), closing(open_state(self.file)) as db:
            forget_rows(db, scope)
