"""One scope of `state.db`, open; see `state.base.scope`."""

import sqlite3
from contextlib import AbstractContextManager
from dataclasses import dataclass

from searchsocket.state.sqlite.chunks import SqliteChunks
from searchsocket.state.sqlite.extracts import SqliteExtracts
from searchsocket.state.sqlite.file import transaction
from searchsocket.state.sqlite.history import SqliteHistory
from searchsocket.state.sqlite.inventory import SqliteInventory
from searchsocket.state.sqlite.links import SqliteLinks
from searchsocket.state.sqlite.mirror import SqliteMirror
from searchsocket.state.sqlite.origin import SqliteOrigin
from searchsocket.state.sqlite.problems import SqliteProblems
from searchsocket.state.sqlite.published import SqlitePublished
from searchsocket.state.sqlite.titles import SqliteTitles
from searchsocket.system.memory import return_freed_memory


@dataclass(frozen=True, slots=True)
class SqliteScope:
    """The parts of one scope, over one connection."""

    db: sqlite3.Connection
    pages: SqliteInventory
    extracts: SqliteExtracts
    links: SqliteLinks
    titles: SqliteTitles
    mirror: SqliteMirror
    chunks: SqliteChunks
    problems: SqliteProblems
    published: SqlitePublished
    history: SqliteHistory
    origin: SqliteOrigin

    def transaction(self) -> AbstractContextManager[None]:
        return transaction(self.db)

    def release_memory(self) -> None:
        self.db.execute("PRAGMA shrink_memory")
        return_freed_memory()


def begin(db: sqlite3.Connection, scope: str) -> SqliteScope:
    """The parts of a scope, which gets its row where it has none."""
    db.execute("INSERT OR IGNORE INTO scopes (scope) VALUES (?)", (scope,))
    return SqliteScope(
        db,
        SqliteInventory(db, scope),
        SqliteExtracts(db, scope),
        SqliteLinks(db, scope),
        SqliteTitles(db, scope),
        SqliteMirror(db, scope),
        SqliteChunks(db, scope),
        SqliteProblems(db, scope),
        SqlitePublished(db, scope),
        SqliteHistory(db, scope),
        SqliteOrigin(db, scope),
    )
