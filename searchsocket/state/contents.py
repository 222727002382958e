"""Extracted contents, each stored once for all pages and scopes: some facts as columns, links, and two blobs.

The blobs are all facts and the body; packing adds a checksum. The records of a page are compressed with its body.
"""

import json
import re
import sqlite3
from collections.abc import Sequence
from dataclasses import fields
from urllib.parse import urlsplit

from searchsocket.content.chunking.records import hash_of
from searchsocket.content.pages import MARKED, ExtractedPage, Link
from searchsocket.errors import InvalidRequest
from searchsocket.state.errors import DamagedRow
from searchsocket.state.sql import as_stored, marks
from searchsocket.system.compressed import packed
from searchsocket.system.compressed import unpacked as unpacked_text
from searchsocket.system.json_text import JsonObject
from searchsocket.web.languages.site import Alternates
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
