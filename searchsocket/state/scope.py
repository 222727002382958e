"""State of one scope, open for one stage."""

import sqlite3
from contextlib import AbstractContextManager
from dataclasses import dataclass

from searchsocket.state.chunks import ChunkTable
from searchsocket.state.extracts import Extracts
from searchsocket.state.file import transaction
from searchsocket.state.history import History
from searchsocket.state.inventory import Inventory
from searchsocket.state.languages import LanguageTable
from searchsocket.state.links import LinkGraph
from searchsocket.state.mirror import MirrorTable
from searchsocket.state.origin import Origin
from searchsocket.state.problems import Problems
from searchsocket.state.published import Published
from searchsocket.state.titles import Titles
from searchsocket.state.versions import VersionTable
from searchsocket.system.memory import return_freed_memory


@dataclass(frozen=True, slots=True)
class ScopeState:
    """State of one scope, open for one stage, with one part per subject.

    Numbers of pages and positions of chunks are internal: they are valid only in this scope and while it is open.
    Iterators read while they are consumed; do not write in between unless their docstring allows it.
    """

    db: sqlite3.Connection
    pages: Inventory
    extracts: Extracts
    links: LinkGraph
    titles: Titles
    versions: VersionTable
    languages: LanguageTable
    mirror: MirrorTable
    chunks: ChunkTable
    problems: Problems
    published: Published
    history: History
    origin: Origin

    def transaction(self) -> AbstractContextManager[None]:
        """Write atomically; a nested transaction joins the outer one."""
        return transaction(self.db)

    def release_memory(self) -> None:
        """Free the page cache of SQLite."""
        self.db.execute("PRAGMA shrink_memory")
        return_freed_memory()


def begin(db: sqlite3.Connection, scope: str) -> ScopeState:
    """Open the parts of a scope and create its row if it is missing."""
    db.execute("INSERT OR IGNORE INTO scopes (scope) VALUES (?)", (scope,))
    return ScopeState(
        db,
        Inventory(db, scope),
        Extracts(db, scope),
        LinkGraph(db, scope),
        Titles(db, scope),
        VersionTable(db, scope),
        LanguageTable(db, scope),
        MirrorTable(db, scope),
        ChunkTable(db, scope),
        Problems(db, scope),
        Published(db, scope),
        History(db, scope),
        Origin(db, scope),
    )
