"""Extracted content of pages, each stored once for all pages and scopes (stage `page_mirror`).

The blobs are all facts and the body; packing adds a checksum. The records of a page are compressed with its body.
"""

import json
import re
import sqlite3
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple
from urllib.parse import urlsplit

from searchsocket.content.chunking.records import hash_of
from searchsocket.content.pages import MARKED, ExtractedPage, Link, RawPage
from searchsocket.errors import InvalidRequest
from searchsocket.state.links import mark_linked_dirty
from searchsocket.state.schema import (
    CHANGE_PAGE_SET,
    EXTRACT_KEY,
    IN_SCOPE,
    MIRRORED,
    DamagedRow,
    as_stored,
    as_text,
    key_of_extract,
    marks,
)
from searchsocket.system.compressed import packed
from searchsocket.system.compressed import unpacked as unpacked_text
from searchsocket.system.json_text import JsonObject
from searchsocket.web.languages import Alternates
from searchsocket.web.urls.paths import canonical_path, page_path

_INTERNAL = re.compile(r"\]\(/[^)\s]*")  # a link within the site, which differs between versions
_OTHER_COLUMNS = ("body", "links", "skip", "redirect_to")  # stored separately
_FACTS = tuple(field.name for field in fields(ExtractedPage) if field.name not in _OTHER_COLUMNS)


def put_content(db: sqlite3.Connection, page: ExtractedPage) -> int:
    """Store the content of a page, unless an equal one is stored already; return its number."""
    facts = json.dumps({name: getattr(page, name) for name in _FACTS}, ensure_ascii=False)
    links = [] if page.skip else [(link.target, link.text) for link in page.links]
    digest = as_stored(hash_of(json.dumps([facts, page.body, links])))
    if row := db.execute("SELECT id FROM contents WHERE digest = ?", (digest,)).fetchone():
        return int(row[0])
    columns = (page.heading, page.head_title, page.title, page.version, _path_of(page.canonical))
    others = (page.language, *page.alternates, page.main == MARKED)
    id_ = db.execute(
        f"INSERT INTO contents VALUES (NULL,{marks(12)})", (digest, *columns, as_stored(_text_hash(page)), *others)
    ).lastrowid
    assert id_ is not None
    db.execute("INSERT INTO bodies VALUES (?,?,?)", (id_, packed(facts), packed(page.body)))
    db.executemany("INSERT INTO links VALUES (?,?,?,?)", [(id_, number, *link) for number, link in enumerate(links)])
    return id_


def have_same_facts(db: sqlite3.Connection, content_id: int, other_id: int) -> bool:
    """Return True if two contents differ in nothing but their text."""
    facts = "heading, head_title, title, version, canonical, language, hreflang, hreflang_group, is_default, is_marked"
    rows = db.execute(f"SELECT DISTINCT {facts} FROM contents WHERE id IN (?, ?)", (content_id, other_id))
    return len(rows.fetchall()) == 1


def _text_hash(page: ExtractedPage) -> str:
    """Return a hash of a page's whole content, except the targets of its links within the site."""
    body = _INTERNAL.sub("](", page.body)
    parts = [page.title, page.description, page.language, page.tags, page.facets, page.weight, body]
    return hash_of(json.dumps(parts))


def _path_of(canonical: str) -> str:
    """Return the path of a canonical URL in the form of page URLs; "" if it is invalid."""
    try:
        path = urlsplit(canonical).path
        return page_path(canonical_path(path)) if path.startswith("/") else ""
    except (ValueError, InvalidRequest):
        return ""


def unpacked(facts: bytes, body: bytes, *, skip: str, redirect_to: str, links: Sequence[Link] = ()) -> ExtractedPage:
    """Rebuild the page from its two blobs and its columns.

    Raises:
        DamagedRow: A blob is damaged.
    """
    try:
        data: JsonObject = json.loads(unpacked_body(facts))
        values: JsonObject = {name: tuple(item) if isinstance(item, list) else item for name, item in data.items()}
        values["alternates"] = Alternates(*values["alternates"])
        return ExtractedPage(body=unpacked_body(body), links=tuple(links), skip=skip, redirect_to=redirect_to, **values)
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        raise DamagedRow(f"the stored facts of a page are damaged: {error}") from error


def unpacked_body(blob: bytes) -> str:
    """Return the Markdown of a page.

    Raises:
        DamagedRow: The blob is damaged.
    """
    try:
        return unpacked_text(blob)
    except (ValueError, TypeError) as error:
        raise DamagedRow(f"the text of a page is damaged: {error}") from error


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
    extract_key: bytes
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


COPY, EXCLUDED_VERSION, NO_MARK = "copy", "version", "unmarked"  # reasons besides those of an extract
_SKIP = (
    f"CASE WHEN skip != '' OR copy_of = '' THEN skip WHEN copy_of = '-' THEN '{EXCLUDED_VERSION}' "
    f"WHEN copy_of = '~' THEN '{NO_MARK}' ELSE '{COPY}' END"
)


def extract_key(page: RawPage, raw_hash: str, how: str) -> bytes:
    """Return the key of a page's extraction. Equal keys mean equal extracts.

    Args:
        how: All inputs of the extraction besides the page and the hash of its bytes.
    """
    return key_of_extract(raw_hash, how, page.url, page.served_url, page.kind)


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
        condition = "" if everything else f"AND extract_key != {EXTRACT_KEY}"
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
        return [StoredPage(page_id, RawPage(*raw), as_text(raw_hash), size) for page_id, *raw, raw_hash, size in rows]

    def put(self, page_id: int, key: bytes, page: ExtractedPage) -> None:
        """Store a page's content. The page and the pages that it links or linked to become dirty.

        A change of its text alone does not change the set of pages, see `PAGE_SET_CHANGED`.

        Args:
            key: See `extract_key`.
        """
        mark_linked_dirty(self.db, page_id, self.scope)
        was_skipped, old_redirect, was_extracted, before = self.db.execute(
            "SELECT skip, redirect_to, extract_key != '', content_id FROM pages WHERE id = ?", (page_id,)
        ).fetchone()
        content_id = put_content(self.db, page)
        is_same_kind = was_extracted and (bool(was_skipped), old_redirect) == (bool(page.skip), page.redirect_to)
        if not is_same_kind or not have_same_facts(self.db, before, content_id):
            self.db.execute(CHANGE_PAGE_SET, (self.scope,))
        self.db.execute(
            "UPDATE pages SET extract_key = ?, content_id = ?, skip = ?, redirect_to = ?, dirty = 1 WHERE id = ?",
            (key, content_id, page.skip, page.redirect_to, page_id),
        )
        mark_linked_dirty(self.db, page_id, self.scope)

    def rewritten(self, page_id: int, raw_hash: str) -> None:
        """Record that the page changed between listing and extraction, so the next run reads it again."""
        self.db.execute("UPDATE pages SET stamp = '', raw_hash = ? WHERE id = ?", (as_stored(raw_hash), page_id))

    def forget(self, urls: Sequence[str]) -> None:
        """Mark known pages as changed: the next run reads and extracts them again."""
        self.db.executemany(
            "UPDATE pages SET stamp = '', extract_key = '' WHERE scope = ? AND url = ?",
            [(self.scope, url) for url in urls],
        )

    def same_elsewhere(self, page: StoredPage, key: bytes) -> ExtractedPage | None:
        """Return the extract of another scope from the same bytes at the same URL; None if there is none.

        Raises:
            DamagedRow: That extract is damaged.
        """
        row = self.db.execute(
            "SELECT content_id, skip, redirect_to, facts, body FROM pages JOIN bodies ON bodies.id = content_id "
            "WHERE extract_key = ? AND url = ? AND pages.id != ? LIMIT 1",
            (key, page.raw.url, page.id),
        ).fetchone()
        if row is None:
            return None
        content_id, skip, redirect_to, facts, body = row
        links = self.db.execute("SELECT target, text FROM links WHERE content_id = ? ORDER BY number", (content_id,))
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
            f"FROM pages JOIN bodies ON bodies.id = content_id WHERE {MIRRORED} ORDER BY raw_hash, url LIMIT ?",
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
