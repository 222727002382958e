"""Extracted content of pages (stage `page_mirror`)."""

import sqlite3
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from searchsocket.content.pages import ExtractedPage, Link, RawPage
from searchsocket.state.contents import put_contents, unpacked, unpacked_body
from searchsocket.state.languages import put_language_page
from searchsocket.state.links import LinkGraph, mark_linked_dirty
from searchsocket.state.sql import IN_SCOPE, MIRRORED, WITH_CONTENTS, marks
from searchsocket.state.versions import put_version_page


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page by its number, with hash and size of its bytes."""

    id: int
    raw: RawPage
    raw_hash: str
    bytes: int


class Sample(NamedTuple):
    """A mirrored page to extract again and compare."""

    page: RawPage
    extract_key: str
    body: str


class Census(NamedTuple):
    """Number of known, extracted pages per skip reason and route resolution."""

    skip: str
    route_resolution: str
    pages: int


class SkippedPage(NamedTuple):
    """A page that is not searched."""

    url: str
    skip: str  # the reason, as in `ExtractedPage`


COPY, EXCLUDED_VERSION = "copy", "version"  # reasons besides those of an extract
_SKIP = f"CASE WHEN skip != '' OR copy_of = '' THEN skip WHEN copy_of = '-' THEN '{EXCLUDED_VERSION}' ELSE '{COPY}' END"


def extract_key(raw_hash: str, how: str) -> str:
    """Return the key of a page's extraction: source bytes and settings. Equal keys mean equal extracts.

    Args:
        how: All inputs of the extraction besides the bytes.
    """
    return f"{raw_hash}:{how}"


@dataclass(frozen=True, slots=True)
class Extracts:
    """Extracted content of a scope's pages, and the pages to extract again."""

    db: sqlite3.Connection
    scope: str

    def stale(self, how: str, *, everything: bool) -> "array[int]":
        """Return the known pages whose bytes, settings or extractor changed since they were extracted, by URL.

        Args:
            how: See `extract_key`.
            everything: Return all known pages instead.

        Returns:
            Numbers of pages, 8 bytes each: sites are large.
        """
        condition = "" if everything else "AND extract_key != raw_hash || ':' || ?"
        rows = self.db.execute(
            f"SELECT id FROM pages WHERE {IN_SCOPE} {condition} ORDER BY url",
            (self.scope,) if everything else (self.scope, how),
        )
        return array("q", (row[0] for row in rows))

    def pages(self, ids: Sequence[int]) -> list[StoredPage]:
        """Return the pages with these numbers, by URL."""
        rows = self.db.execute(
            "SELECT id, url, served_url, locator, stamp, kind, address, raw_hash, bytes FROM pages "
            f"WHERE id IN ({marks(len(ids))}) ORDER BY url",
            tuple(ids),
        )
        return [StoredPage(page_id, RawPage(*raw), raw_hash, size) for page_id, *raw, raw_hash, size in rows]

    def put(self, page_id: int, key: str, page: ExtractedPage) -> None:
        """Store a page's content. The page and the pages that it linked to become dirty."""
        mark_linked_dirty(self.db, page_id, self.scope)
        was_skipped, old_redirect, was_extracted = self.db.execute(
            "SELECT skip, redirect_to, extract_key != '' FROM pages WHERE id = ?", (page_id,)
        ).fetchone()
        if not was_extracted or bool(was_skipped) != bool(page.skip) or old_redirect != page.redirect_to:
            self.db.execute("UPDATE scopes SET page_set_changed = 1 WHERE scope = ?", (self.scope,))
        if old_redirect and old_redirect != page.redirect_to:
            LinkGraph(self.db, self.scope).forget_through(old_redirect)
        self.db.execute(
            "UPDATE pages SET extract_key = ?, skip = ?, redirect_to = ?, dirty = 1 WHERE id = ?",
            (key, page.skip, page.redirect_to, page_id),
        )
        put_contents(self.db, page_id, page)
        self.db.execute("DELETE FROM titles WHERE page_id = ?", (page_id,))
        if page.head_title and not page.skip:
            self.db.execute("INSERT INTO titles VALUES (?,?,?,?)", (page_id, self.scope, page.heading, page.head_title))
        put_version_page(self.db, self.scope, page_id, page)
        put_language_page(self.db, self.scope, page_id, page)
        self.db.execute("DELETE FROM links WHERE page_id = ?", (page_id,))
        self.db.executemany(
            "INSERT INTO links (page_id, scope, target, text) VALUES (?,?,?,?)",
            [(page_id, self.scope, link.target, link.text) for link in (() if page.skip else page.links)],
        )

    def keep(self, page_id: int, key: str) -> None:
        """Confirm that a page's content is unchanged."""
        self.db.execute("UPDATE pages SET extract_key = ? WHERE id = ?", (key, page_id))

    def rewritten(self, page_id: int, raw_hash: str) -> None:
        """Record that the page changed between listing and extraction, so the next run reads it again."""
        self.db.execute("UPDATE pages SET stamp = '', raw_hash = ? WHERE id = ?", (raw_hash, page_id))

    def forget(self, urls: Sequence[str]) -> None:
        """Mark known pages as changed: the next run reads and extracts them again."""
        self.db.executemany(
            "UPDATE pages SET stamp = '', extract_key = '' WHERE scope = ? AND url = ?",
            [(self.scope, url) for url in urls],
        )

    def same_elsewhere(self, page: StoredPage, key: str) -> ExtractedPage | None:
        """Return the extract of another scope from the same bytes at the same URL; None if there is none.

        Raises:
            DamagedRow: That extract is damaged.
        """
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
        """Return True if an earlier run extracted searchable text from the page."""
        row = self.db.execute("SELECT extract_key != '' AND skip = '' FROM pages WHERE id = ?", (page_id,)).fetchone()
        return bool(row and row[0])

    def sample(self, limit: int) -> list[Sample]:
        """Return mirrored pages from all parts of the site; an unchanged site gives the same sample.

        Raises:
            DamagedRow: A body is damaged.
        """
        rows = self.db.execute(
            "SELECT url, served_url, locator, stamp, kind, address, extract_key, body "
            f"FROM pages {WITH_CONTENTS} "
            f"WHERE {MIRRORED} ORDER BY raw_hash, url LIMIT ?",
            (self.scope, limit),
        )
        return [Sample(RawPage(*raw), key, unpacked_body(body)) for *raw, key, body in rows]

    def census(self) -> list[Census]:
        """Count the known, extracted pages."""
        rows = self.db.execute(
            f"SELECT {_SKIP}, route_resolution, COUNT(*) FROM pages WHERE {IN_SCOPE} AND extract_key != '' "
            "GROUP BY 1, 2",
            (self.scope,),
        )
        return [Census(*row) for row in rows]

    def skipped(self, limit: int) -> list[SkippedPage]:
        """Return some of the known pages that are not searched, by rising URL."""
        rows = self.db.execute(
            f"SELECT url, {_SKIP} FROM pages WHERE {IN_SCOPE} AND (skip != '' OR copy_of != '') ORDER BY url LIMIT ?",
            (self.scope, limit),
        )
        return [SkippedPage(*row) for row in rows]

    def without_exact_route(self) -> Iterator[tuple[str, str]]:
        """Yield (URL, resolution) of every mirrored page whose route is not exact, by rising URL."""
        return self.db.execute(
            f"SELECT url, route_resolution FROM pages WHERE {MIRRORED} AND route_resolution != 'exact' ORDER BY url",
            (self.scope,),
        )
