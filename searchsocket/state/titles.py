"""Titles of all pages, to find the parts that pages share (stage `page_mirror`)."""

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from searchsocket.content.html.site_titles import HeadingCount, SiteTitles
from searchsocket.state.errors import DamagedRow
from searchsocket.state.file import transaction


@dataclass(frozen=True, slots=True)
class Titles:
    """The h1s and `<title>`s of a scope's pages, without skipped and deleted pages."""

    db: sqlite3.Connection
    scope: str

    def common(self, min_pages: int) -> list[HeadingCount]:
        """Return the h1s of at least so many pages, in no order."""
        rows = self.db.execute(
            "SELECT heading, COUNT(*), COUNT(DISTINCT head_title) FROM titles WHERE scope = ? AND heading != '' "
            "GROUP BY heading HAVING COUNT(*) >= ?",
            (self.scope, min_pages),
        )
        return [HeadingCount(*row) for row in rows]

    def head_titles(self) -> Iterator[str]:
        """Yield the `<title>` of every page that has one, in no order."""
        for (title,) in self.db.execute("SELECT head_title FROM titles WHERE scope = ?", (self.scope,)):
            yield title

    def set_site(self, titles: SiteTitles) -> None:
        """Store the shared title parts and mark the pages dirty whose titles they may change."""
        (text,) = self.db.execute("SELECT site_titles FROM scopes WHERE scope = ?", (self.scope,)).fetchone()
        now = json.dumps([sorted(titles.headings), titles.start, titles.end])
        if text == now:
            return
        before = _site_titles(text)
        changed = before.headings ^ titles.headings
        with transaction(self.db):
            if (before.start, before.end) != (titles.start, titles.end):
                self.db.execute("UPDATE pages SET dirty = 1 WHERE scope = ?", (self.scope,))
            self.db.executemany(
                "UPDATE pages SET dirty = 1 WHERE id IN "
                "(SELECT page_id FROM titles WHERE scope = ? AND heading = ? AND heading != '')",
                [(self.scope, heading) for heading in sorted(changed)],
            )
            self.db.execute("UPDATE scopes SET site_titles = ? WHERE scope = ?", (now, self.scope))


def _site_titles(text: str) -> SiteTitles:
    if not text:
        return SiteTitles()
    try:
        headings, start, end = json.loads(text)
        return SiteTitles(frozenset(headings), start, end)
    except (ValueError, TypeError) as error:
        raise DamagedRow(f"the stored titles of the site are damaged: {error}") from error
