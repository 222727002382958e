"""What makes a chunk and a record the same one as before (spec 10.1, 10.2)."""

import hashlib
import json
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from searchsocket.markdown.text import plain_text
from searchsocket.types import Chunk, Page, Record, Scope

_HASHED = tuple(sorted(field.name for field in fields(Record) if field.name != "record_hash"))
_canonical = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode


def embedded_text(title: str, chunk: Chunk) -> str:
    """The text that is embedded: page title, heading path, then the visible text of the chunk (spec 10.1).

    It is plain text, so a changed link target, anchor or table rule embeds nothing, and no token is paid for
    markup. Front matter is never in it. A heading that opens the chunk is not said twice.
    """
    return _embedded(title, chunk.heading_path, chunk.section_title, chunk.text)


def embedded_text_of(record: Record) -> str:
    """The text that a record's vector stands for: `content_hash` of it is `record.content_hash`."""
    return _embedded(record.title, record.heading_path, record.section_title, record.text)


def _embedded(title: str, path: tuple[str, ...], section_title: str, text: str) -> str:
    if section_title and section_title not in path:
        path = (*path, section_title)
    if path and path[0] == title:
        path = path[1:]
    lines = plain_text(text).split("\n")
    said = {title, *path}
    start = 0
    while start < len(lines) and lines[start] in said:
        start += 1
    head = [part for part in (title, " > ".join(path)) if part]
    return "\n".join([*head, *lines[start:]])


def content_hash(text: str) -> str:
    """Identity of an embedding, beside the model: sha256 of the embedded text, in hex (spec 10.1)."""
    return hash_of(text)


def chunk_key(scope_name: str, url: str, ordinal: int, section_title: str) -> str:
    """Identity of a record: sha1 over `scope|url|ordinal|section title`, in hex (spec 10.2).

    The title is normalised: Unicode NFC, runs of blanks as one space, case folded; "" where there is no heading.
    """
    title = section_title
    if not (title.isascii() and title.islower()):
        title = unicodedata.normalize("NFC", title).casefold()
    key = f"{scope_name}|{url}|{ordinal}|{' '.join(title.split())}"
    return hashlib.sha1(_bytes(key), usedforsecurity=False).hexdigest()


def chunk_ref(chunk: Chunk) -> str:
    """A name for people and logs that survives edits elsewhere on the page: `url#anchor~piece`; a summary's is its url.

    The anchor stays empty above the first heading that has one: `/docs#~0`.
    """
    return chunk.url if chunk.kind == "summary" else f"{chunk.url}#{chunk.anchor}~{chunk.piece}"


@dataclass(frozen=True, slots=True)
class CutChunk:
    """A chunk as a record, with the two texts that its hashes are of."""

    record: Record
    embedded: str  # `record.content_hash` is of this
    canonical: str  # JSON of every other field; `record.record_hash` is of this


def cut_chunks(page: Page, chunks: Sequence[Chunk], scope: Scope, model_id: str) -> list[CutChunk]:
    """The records of one page with what they were made of, in the order of `chunks`."""
    shared: dict[str, Any] = {
        "project_id": scope.project_id,
        "scope": scope.name,
        "url": page.url,
        "title": page.title,
        "description": page.description,
        "language": page.language,
        "route_file": page.route_file,
        "route_resolution": page.route_resolution,
        "depth": page.depth,
        "incoming_links": page.incoming_links,
        "link_texts": page.link_texts,
        "tags": page.tags,
        "weight": float(page.weight),
        "modified": page.modified,
        "model_id": model_id,
    }
    cut: list[CutChunk] = []
    for chunk in chunks:
        embedded = embedded_text(page.title, chunk)
        values = shared | {
            "id": chunk_key(scope.name, page.url, chunk.ordinal, chunk.section_title),
            "content_hash": content_hash(embedded),
            "section_title": chunk.section_title,
            "heading_path": chunk.heading_path,
            "anchor": chunk.anchor,
            "ref": chunk_ref(chunk),
            "ordinal": chunk.ordinal,
            "kind": chunk.kind,
            "text": chunk.text,
        }
        canonical = _canonical(values)
        cut.append(CutChunk(Record(record_hash=hash_of(canonical), **values), embedded, canonical))
    return cut


def records_of(page: Page, chunks: Sequence[Chunk], scope: Scope, model_id: str) -> list[Record]:
    """The records of one page, in the order of `chunks`."""
    return [cut.record for cut in cut_chunks(page, chunks, scope, model_id)]


def record_hash(record: Record) -> str:
    """Hash over every other field, in hex: equal hashes mean that nothing is to be written."""
    return hash_of(_canonical({name: getattr(record, name) for name in _HASHED}))


def hash_of(text: str) -> str:
    """sha256 of a text, in hex."""
    return hashlib.sha256(_bytes(text)).hexdigest()


def _bytes(text: str) -> bytes:
    # A lone surrogate in hostile input must not stop the run.
    return text.encode("utf-8", "surrogatepass")
