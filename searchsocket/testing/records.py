"""Records for tests, made of the fields that a test names."""

import hashlib
from dataclasses import fields

from searchsocket.system.json_text import JsonObject
from searchsocket.types import Chunk, PageFacts, Prose, Record, Section

_PARTS = {kind: frozenset(field.name for field in fields(kind)) for kind in (PageFacts, Section, Chunk)}
_DEFAULTS: JsonObject = {
    "title": "Title", "language": "en", "depth": 1, "ordinal": 0, "kind": "section",
    "heading_path": (), "anchor": "", "piece": 0, "project_id": "shop", "scope": "main", "model_id": "hash-8",
}  # fmt: skip


def make_record(record_id: str, text: str = "some text", **given: object) -> Record:
    """A record with defaults for all other fields.

    Args:
        given: Fields of a record, its page or its chunk; `section_title` is that of the chunk's section.
    """
    values = _DEFAULTS | {"url": "/page"} | given
    page = {name: values.pop(name) for name in _PARTS[PageFacts] & set(values)}
    section = {name: values.pop(name) for name in _PARTS[Section] & set(values)}
    at = values.pop("at", None) or Section(**section, title=values.pop("section_title", ""))
    body = values.pop("body", Prose(text))
    chunk = {name: values.pop(name) for name in _PARTS[Chunk] & set(values)}
    values = {"content_hash": _sha256(text), "ref": f"{page['url']}#{at.anchor}~0"} | values
    parts: JsonObject = {"page": PageFacts(**page), "chunk": Chunk(**chunk, body=body, at=at)} | values
    shared = sorted((name, value) for name, value in parts.items() if name != "scope")
    return Record(id=record_id, record_hash=_sha256(repr(shared)), **parts)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
