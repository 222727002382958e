"""The pages of a scope between runs: what was seen, what was extracted from it, and what its mirror file holds."""

import json
import sqlite3
import zlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from searchsocket.state.database import DamagedRow
from searchsocket.types import ExtractedPage, Link, RawPage


@dataclass(frozen=True, slots=True)
class KnownPage:
    """What tells whether a page must be read again."""

    id: int
    locator: str
    served_url: str
    stamp: str
    raw_hash: str
    removed: bool


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page with its row id, and the hash and number of its bytes."""

    id: int
    raw: RawPage
    raw_hash: str
    bytes: int


def ensure_scope(db: sqlite3.Connection, scope: str) -> None:
    db.execute("INSERT OR IGNORE INTO scopes (scope) VALUES (?)", (scope,))


def known_pages(db: sqlite3.Connection, scope: str, urls: Sequence[str]) -> dict[str, KnownPage]:
    marks = ",".join("?" * len(urls))
    rows = db.execute(
        "SELECT url, id, locator, served_url, stamp, raw_hash, removed FROM pages "
        f"WHERE scope = ? AND url IN ({marks})",
        (scope, *urls),
    )
    return {row[0]: KnownPage(row[1], row[2], row[3], row[4], row[5], bool(row[6])) for row in rows}


def put_page(db: sqlite3.Connection, scope: str, page: RawPage, raw_hash: str, size: int) -> None:
    """Insert a page or take over what changed about where its bytes are."""
    db.execute(
        "INSERT INTO pages (scope, url, served_url, locator, kind, stamp, raw_hash, bytes) VALUES (?,?,?,?,?,?,?,?) "
        "ON CONFLICT (scope, url) DO UPDATE SET served_url = excluded.served_url, locator = excluded.locator, "
        "kind = excluded.kind, stamp = excluded.stamp, bytes = excluded.bytes, removed = 0, "
        "dirty = CASE WHEN removed THEN 1 ELSE dirty END, "
        # Links resolve against the served URL, so another one needs another extraction.
        "extract_key = CASE WHEN served_url = excluded.served_url THEN extract_key ELSE '' END, "
        "raw_hash = excluded.raw_hash",
        (scope, page.url, page.served_url, page.locator, page.kind, page.stamp, raw_hash, size),
    )


def to_extract(db: sqlite3.Connection, scope: str, key: str, *, everything: bool) -> "array[int]":
    """Row ids of the pages whose bytes, settings or extractor changed since they were extracted, by URL."""
    condition = "" if everything else "AND extract_key != raw_hash || ':' || ?"
    rows = db.execute(
        f"SELECT id FROM pages WHERE scope = ? AND removed = 0 {condition} ORDER BY url",
        (scope,) if everything else (scope, key),
    )
    return array("q", (row[0] for row in rows))


def stored_pages(db: sqlite3.Connection, ids: Sequence[int]) -> list[StoredPage]:
    """The pages with the given row ids, by URL."""
    marks = ",".join("?" * len(ids))
    rows = db.execute(
        "SELECT id, url, served_url, locator, kind, stamp, raw_hash, bytes FROM pages "
        f"WHERE id IN ({marks}) ORDER BY url",
        tuple(ids),
    )
    return [StoredPage(row[0], RawPage(row[1], row[2], row[3], row[5], row[4]), row[6], row[7]) for row in rows]


def put_extract(db: sqlite3.Connection, page_id: int, scope: str, extract_key: str, page: ExtractedPage) -> None:
    """Store what a page says; pages that it linked to, or links to now, may have to change their counts."""
    mark_linked_dirty(db, page_id, scope)
    was_skipped, old_redirect, was_extracted = db.execute(
        "SELECT skip, redirect_to, extract_key != '' FROM pages WHERE id = ?", (page_id,)
    ).fetchone()
    if not was_extracted or bool(was_skipped) != bool(page.skip) or old_redirect != page.redirect_to:
        db.execute("UPDATE scopes SET page_set_changed = 1 WHERE scope = ?", (scope,))
    facts = {
        "title": page.title, "description": page.description, "language": page.language, "canonical": page.canonical,
        "tags": page.tags, "weight": page.weight, "published": page.published, "modified": page.modified,
        "main": page.main, "warnings": page.warnings,
    }  # fmt: skip
    db.execute(
        "UPDATE pages SET extract_key = ?, skip = ?, redirect_to = ?, dirty = 1 WHERE id = ?",
        (extract_key, page.skip, page.redirect_to, page_id),
    )
    db.execute(
        "INSERT OR REPLACE INTO contents (page_id, facts, body) VALUES (?,?,?)",
        (
            page_id,
            zlib.compress(json.dumps(facts, ensure_ascii=False).encode("utf-8"), 1),  # which adds a checksum
            zlib.compress(page.body.encode("utf-8"), 1),
        ),
    )
    db.execute("DELETE FROM links WHERE page_id = ?", (page_id,))
    links = [] if page.skip else page.links
    db.executemany(
        "INSERT INTO links (page_id, scope, target, text) VALUES (?,?,?,?)",
        [(page_id, scope, link.target, link.text) for link in links],
    )


def same_extract(db: sqlite3.Connection, page: StoredPage, extract_key: str) -> ExtractedPage | None:
    """What another scope extracted from the same bytes at the same place, if one did.

    Raises:
        DamagedRow: What it stored is damaged.
    """
    row = db.execute(
        "SELECT id, skip, redirect_to, facts, body FROM pages JOIN contents ON page_id = id "
        "WHERE extract_key = ? AND url = ? AND served_url = ? AND kind = ? AND id != ? LIMIT 1",
        (extract_key, page.raw.url, page.raw.served_url, page.raw.kind, page.id),
    ).fetchone()
    if row is None:
        return None
    facts = page_facts(row[3])
    links = db.execute("SELECT target, text FROM links WHERE page_id = ? ORDER BY rowid", (row[0],))
    for name in ("tags", "warnings"):
        facts[name] = tuple(facts[name])
    return ExtractedPage(
        body=body_text(row[4]),
        links=tuple(Link(target, text) for target, text in links),
        skip=row[1],
        redirect_to=row[2],
        **facts,
    )


def mark_linked_dirty(db: sqlite3.Connection, page_id: int, scope: str) -> None:
    db.execute(
        "UPDATE pages SET dirty = 1 WHERE scope = ? AND url IN "
        "(SELECT resolved FROM links WHERE page_id = ? AND resolved != '')",
        (scope, page_id),
    )


def has_content(db: sqlite3.Connection, page_id: int) -> bool:
    """Whether an earlier run extracted something to search from the page."""
    row = db.execute("SELECT extract_key != '' AND skip = '' FROM pages WHERE id = ?", (page_id,)).fetchone()
    return bool(row and row[0])


def set_extract_key(db: sqlite3.Connection, page_id: int, extract_key: str) -> None:
    db.execute("UPDATE pages SET extract_key = ? WHERE id = ?", (extract_key, page_id))


def delete_page(db: sqlite3.Connection, page_id: int, scope: str) -> None:
    """Forget a page with its links and chunks."""
    mark_linked_dirty(db, page_id, scope)
    db.execute("DELETE FROM pages WHERE id = ?", (page_id,))


def cut_pages(db: sqlite3.Connection, scope: str) -> Iterator[tuple[str, str]]:
    """(url, digest of the mirror file) of every page whose chunks were cut from that very file, by rising URL."""
    rows = db.execute(
        "SELECT url, mirror_digest FROM pages JOIN chunked ON chunked.scope = pages.scope AND page_id = pages.id "
        "WHERE pages.scope = ? AND removed = 0 AND substr(chunk_key, 1, length(mirror_digest)) = mirror_digest "
        "ORDER BY url",
        (scope,),
    )
    for row in rows:  # noqa: UP028  see `chunks.fingerprints`
        yield row


def body_text(blob: bytes) -> str:
    """The Markdown in `contents.body`.

    Raises:
        DamagedRow: It is not what was written.
    """
    try:
        return zlib.decompress(blob).decode("utf-8")
    except (zlib.error, ValueError, TypeError) as error:
        raise DamagedRow(f"the text of a page is damaged: {error}") from error


def page_facts(blob: bytes) -> dict[str, Any]:
    """What `contents.facts` says of a page beside its text and links.

    Raises:
        DamagedRow: It is not what was written.
    """
    try:
        facts: dict[str, Any] = json.loads(body_text(blob))
    except ValueError as error:
        raise DamagedRow(f"what is known of a page is damaged: {error}") from error
    return facts


def digest_rows(db: sqlite3.Connection, sql: str, parameters: Iterable[Any]) -> Iterator[str]:
    """Each row as one line, for a digest over many."""
    for row in db.execute(sql, tuple(parameters)):
        yield "\x1f".join(str(value) for value in row)
