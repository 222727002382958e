"""State of one scope, open for one stage."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass

from searchsocket.content.html.site_titles import HeadingCount, SiteTitles
from searchsocket.state.chunks import ChunkTable
from searchsocket.state.contents import unpacked_body
from searchsocket.state.errors import DamagedRow
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
from searchsocket.state.sql import SEARCHABLE
from searchsocket.state.versions import VersionTable
from searchsocket.system.memory import return_freed_memory

_TITLED = "FROM pages JOIN contents ON contents.id = content_id WHERE scope = ? AND skip = '' AND head_title != ''"


@dataclass(frozen=True, slots=True)
class Titles:
    """The h1s, `<title>`s and navigation that pages of a scope share, without skipped and deleted pages."""

    db: sqlite3.Connection
    scope: str

    def common(self, min_pages: int) -> list[HeadingCount]:
        """Return the h1s of at least so many pages, in no order."""
        rows = self.db.execute(
            f"SELECT heading, COUNT(*), COUNT(DISTINCT head_title) {_TITLED} AND heading != '' "
            "GROUP BY heading HAVING COUNT(*) >= ?",
            (self.scope, min_pages),
        )
        return [HeadingCount(*row) for row in rows]

    def head_titles(self) -> Iterator[str]:
        """Yield the `<title>` of every page that has one, in no order."""
        for (title,) in self.db.execute(f"SELECT head_title {_TITLED}", (self.scope,)):
            yield title

    def sample(self, pages: int) -> Iterator[tuple[str, str]]:
        """Yield the language and the body of some HTML pages from all parts of the site.

        An unchanged site gives the same sample.

        Args:
            pages: Their number in each language at most.

        Raises:
            DamagedRow: A body is damaged.
        """
        rows = self.db.execute(
            "SELECT language, body FROM (SELECT content_id, language, ROW_NUMBER() OVER "
            "(PARTITION BY language ORDER BY raw_hash, url) AS number FROM (SELECT content_id, raw_hash, url, "
            "CASE WHEN contents.language != '' THEN contents.language ELSE pages.language END AS language "
            f"FROM pages JOIN contents ON contents.id = content_id WHERE {SEARCHABLE} AND kind = 'html')) "
            "JOIN bodies ON bodies.id = content_id WHERE number <= ?",
            (self.scope, pages),
        )
        return ((language, unpacked_body(body)) for language, body in rows)

    def set_site(self, titles: SiteTitles, navigation: str) -> None:
        """Store the shared parts of pages, and mark the pages dirty that they may change.

        Args:
            navigation: Digest of the links that nearly all pages of each language have.
        """
        (text,) = self.db.execute("SELECT site_titles FROM scopes WHERE scope = ?", (self.scope,)).fetchone()
        now = json.dumps([sorted(titles.headings), titles.start, titles.end, navigation])
        if text == now:
            return
        before, navigation_before = _site_titles(text)
        changed = before.headings ^ titles.headings
        with transaction(self.db):
            if (before.start, before.end, navigation_before) != (titles.start, titles.end, navigation):
                self.db.execute("UPDATE pages SET dirty = 1 WHERE scope = ?", (self.scope,))
            self.db.executemany(
                f"UPDATE pages SET dirty = 1 WHERE id IN (SELECT pages.id {_TITLED} AND heading = ? AND heading != '')",
                [(self.scope, heading) for heading in sorted(changed)],
            )
            self.db.execute("UPDATE scopes SET site_titles = ? WHERE scope = ?", (now, self.scope))


def _site_titles(text: str) -> tuple[SiteTitles, str]:
    if not text:
        return SiteTitles(), ""
    try:
        headings, start, end, *navigation = json.loads(text)
        return SiteTitles(frozenset(headings), start, end), "".join(navigation)
    except (ValueError, TypeError) as error:
        raise DamagedRow(f"the stored titles of the site are damaged: {error}") from error


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
