"""A page's extracted content as two blobs: facts and body. The records of the page are compressed with its body.

Packing adds a checksum.
"""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from searchsocket.content.pages import ExtractedPage, Link
from searchsocket.state.errors import DamagedRow
from searchsocket.system.compressed import packed as packed_text
from searchsocket.system.compressed import unpacked as unpacked_text
from searchsocket.web.languages.alternates import Alternates

_OTHER_COLUMNS = ("body", "links", "skip", "redirect_to")  # stored separately
_FACTS = tuple(field.name for field in fields(ExtractedPage) if field.name not in _OTHER_COLUMNS)


def packed(page: ExtractedPage) -> tuple[bytes, bytes]:
    """Return the blobs `facts` and `body`."""
    facts = {name: getattr(page, name) for name in _FACTS}
    return packed_text(json.dumps(facts, ensure_ascii=False)), packed_text(page.body)


def put_contents(db: sqlite3.Connection, page_id: int, page: ExtractedPage) -> None:
    """Replace the stored content of a page."""
    facts, body = packed(page)
    row = db.execute(
        "SELECT body_id FROM contents JOIN bodies ON bodies.id = body_id WHERE page_id = ? AND facts = ? AND body = ?",
        (page_id, facts, body),
    ).fetchone()
    body_id = row[0] if row else db.execute("INSERT INTO bodies (facts, body) VALUES (?,?)", (facts, body)).lastrowid
    # No REPLACE, since it deletes without a trigger: the trigger deletes the old body if nothing else needs it.
    db.execute(
        "INSERT INTO contents (page_id, body_id) VALUES (?,?) "
        "ON CONFLICT (page_id) DO UPDATE SET body_id = excluded.body_id",
        (page_id, body_id),
    )


def unpacked(facts: bytes, body: bytes, *, skip: str, redirect_to: str, links: Sequence[Link] = ()) -> ExtractedPage:
    """Rebuild the page from its two blobs and its columns.

    Raises:
        DamagedRow: A blob is damaged.
    """
    try:
        data: dict[str, Any] = json.loads(unpacked_body(facts))
        values: dict[str, Any] = {name: tuple(item) if isinstance(item, list) else item for name, item in data.items()}
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
