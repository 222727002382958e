"""What the pages say; see `state.base.extracts`."""

import sqlite3
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from searchsocket.pages import ExtractedPage, Link, RawPage
from searchsocket.state.base.extracts import Census, Sample, SkippedPage, StoredPage
from searchsocket.state.sqlite.conditions import KNOWN, MIRRORED, WITH_CONTENTS, marks
from searchsocket.state.sqlite.contents import put_contents, unpacked, unpacked_body
from searchsocket.state.sqlite.links import SqliteLinks, mark_linked_dirty


@dataclass(frozen=True, slots=True)
class SqliteExtracts:
    """What the pages of one scope say."""

    db: sqlite3.Connection
    scope: str

    def stale(self, how: str, *, everything: bool) -> "array[int]":
        condition = "" if everything else "AND extract_key != raw_hash || ':' || ?"
        rows = self.db.execute(
            f"SELECT id FROM pages WHERE {KNOWN} {condition} ORDER BY url",
            (self.scope,) if everything else (self.scope, how),
        )
        return array("q", (row[0] for row in rows))

    def pages(self, ids: Sequence[int]) -> list[StoredPage]:
        rows = self.db.execute(
            "SELECT id, url, served_url, locator, stamp, kind, address, raw_hash, bytes FROM pages "
            f"WHERE id IN ({marks(len(ids))}) ORDER BY url",
            tuple(ids),
        )
        return [StoredPage(page_id, RawPage(*raw), raw_hash, size) for page_id, *raw, raw_hash, size in rows]

    def put(self, page_id: int, key: str, page: ExtractedPage) -> None:
        mark_linked_dirty(self.db, page_id, self.scope)
        was_skipped, old_redirect, was_extracted = self.db.execute(
            "SELECT skip, redirect_to, extract_key != '' FROM pages WHERE id = ?", (page_id,)
        ).fetchone()
        if not was_extracted or bool(was_skipped) != bool(page.skip) or old_redirect != page.redirect_to:
            self.db.execute("UPDATE scopes SET page_set_changed = 1 WHERE scope = ?", (self.scope,))
        if old_redirect and old_redirect != page.redirect_to:
            SqliteLinks(self.db, self.scope).forget_through(old_redirect)
        self.db.execute(
            "UPDATE pages SET extract_key = ?, skip = ?, redirect_to = ?, dirty = 1 WHERE id = ?",
            (key, page.skip, page.redirect_to, page_id),
        )
        put_contents(self.db, page_id, page)
        self.db.execute("DELETE FROM titles WHERE page_id = ?", (page_id,))
        if page.head_title and not page.skip:
            self.db.execute("INSERT INTO titles VALUES (?,?,?,?)", (page_id, self.scope, page.heading, page.head_title))
        self.db.execute("DELETE FROM links WHERE page_id = ?", (page_id,))
        self.db.executemany(
            "INSERT INTO links (page_id, scope, target, text) VALUES (?,?,?,?)",
            [(page_id, self.scope, link.target, link.text) for link in (() if page.skip else page.links)],
        )

    def keep(self, page_id: int, key: str) -> None:
        self.db.execute("UPDATE pages SET extract_key = ? WHERE id = ?", (key, page_id))

    def rewritten(self, page_id: int, raw_hash: str) -> None:
        self.db.execute("UPDATE pages SET stamp = '', raw_hash = ? WHERE id = ?", (raw_hash, page_id))

    def forget(self, urls: Sequence[str]) -> None:
        self.db.executemany(
            "UPDATE pages SET stamp = '', extract_key = '' WHERE scope = ? AND url = ?",
            [(self.scope, url) for url in urls],
        )

    def same_elsewhere(self, page: StoredPage, key: str) -> ExtractedPage | None:
        row = self.db.execute(
            f"SELECT pages.id, skip, redirect_to, facts, body FROM pages {WITH_CONTENTS} "
            "WHERE extract_key = ? AND url = ? AND served_url = ? AND kind = ? AND pages.id != ? LIMIT 1",
            (key, page.raw.url, page.raw.served_url, page.raw.kind, page.id),
        ).fetchone()
        if row is None:
            return None
        page_id, skip, redirect_to, facts, body = row
        links = self.db.execute("SELECT target, text FROM links WHERE page_id = ? ORDER BY rowid", (page_id,))
        return unpacked(facts, body, skip=skip, redirect_to=redirect_to, links=[Link(*link) for link in links])

    def is_searchable(self, page_id: int) -> bool:
        row = self.db.execute("SELECT extract_key != '' AND skip = '' FROM pages WHERE id = ?", (page_id,)).fetchone()
        return bool(row and row[0])

    def sample(self, limit: int) -> list[Sample]:
        rows = self.db.execute(
            "SELECT url, served_url, locator, stamp, kind, address, extract_key, body "
            f"FROM pages {WITH_CONTENTS} "
            f"WHERE {MIRRORED} ORDER BY raw_hash, url LIMIT ?",
            (self.scope, limit),
        )
        return [Sample(RawPage(*raw), key, unpacked_body(body)) for *raw, key, body in rows]

    def census(self) -> list[Census]:
        rows = self.db.execute(
            f"SELECT skip, route_resolution, COUNT(*) FROM pages WHERE {KNOWN} AND extract_key != '' "
            "GROUP BY skip, route_resolution",
            (self.scope,),
        )
        return [Census(*row) for row in rows]

    def skipped(self, limit: int) -> list[SkippedPage]:
        rows = self.db.execute(
            f"SELECT url, skip FROM pages WHERE {KNOWN} AND skip != '' ORDER BY url LIMIT ?", (self.scope, limit)
        )
        return [SkippedPage(*row) for row in rows]

    def without_exact_route(self) -> Iterator[tuple[str, str]]:
        rows = self.db.execute(
            f"SELECT url, route_resolution FROM pages WHERE {MIRRORED} AND route_resolution != 'exact' ORDER BY url",
            (self.scope,),
        )
        for row in rows:  # noqa: UP028  see `SqliteInventory.hashes`
            yield row
