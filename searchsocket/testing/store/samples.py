"""Scopes, records and vectors that the cases of a store use."""

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import fields

import numpy as np

from searchsocket.stores.base.index_reader import IndexReader, PageBody
from searchsocket.stores.base.vector_store import PublishInfo, VectorStore
from searchsocket.system.json_text import JsonObject
from searchsocket.types import MATCH_ALL, Chunk, Filter, Hit, PageFacts, Prose, Record, Scope, Section, Vector, Vectors

MAIN = Scope("shop", "main")
DRAFT = Scope("shop", "main-draft")
DIMENSIONS = 8
INFO = PublishInfo("hash-8", DIMENSIONS, "2026-01-02T03:04:05Z", 12, 0.5, "abc123")
EAST, NORTH, UP = np.eye(DIMENSIONS, dtype=np.float32)[:3]
PREFIX_PAGES = ["/", "/docs", "/docs/a", "/docs/a/b", "/docs-old", "/docs-old/a", "/docsa", "/docs.html", "/blog/docs"]
_PARTS = {kind: frozenset(field.name for field in fields(kind)) for kind in (PageFacts, Section, Chunk)}
_DEFAULTS: JsonObject = {
    "title": "Title", "language": "en", "depth": 1, "ordinal": 0, "kind": "section",
    "heading_path": (), "anchor": "", "piece": 0, "project_id": "shop", "scope": "main", "model_id": "hash-8",
}  # fmt: skip


def record(
    record_id: str, url: str = "/page", text: str = "some text", *, scope: Scope = MAIN, **fields: object
) -> Record:
    """A record with the given id; the rest has values that a test can recognise."""
    return make_record(record_id, text, url=url, project_id=scope.project_id, scope=scope.name, **fields)


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


def unit(*values: float) -> Vector:
    """A unit vector in the direction of `values`, padded with zeros."""
    wide = np.zeros(DIMENSIONS, np.float32)
    wide[: len(values)] = values
    vector: Vector = wide / np.linalg.norm(wide).astype(np.float32)
    return vector


def random_units(count: int, seed: int = 7) -> Vectors:
    """The same directions on every run."""
    wide = np.random.default_rng(seed).standard_normal((count, DIMENSIONS))
    vectors: Vectors = (wide / np.linalg.norm(wide, axis=1, keepdims=True)).astype(np.float32)
    return vectors


def fill(store: VectorStore, records: list[Record], vectors: Vectors | None = None, scope: Scope = MAIN) -> IndexReader:
    """Publish records; without vectors, all point east."""
    store.upsert(records, np.tile(EAST, (len(records), 1)) if vectors is None else vectors, scope)
    store.publish(scope, INFO)
    return store.reader(scope)


def body(url: str, text: str = "---\nsome front matter\n---\n\n# Page\n") -> PageBody:
    """The text of a page with its digest."""
    return PageBody(url, hashlib.sha256(text.encode()).hexdigest(), text)


class ConstantVectors:
    """Implements `RecordVectors`: one vector for all records, except for some ids."""

    def __init__(self, vector: Vector = EAST, without: Collection[str] = ()) -> None:
        self._vector = vector
        self._without = without

    def missing(self, records: Sequence[Record]) -> int:
        return sum(each.id in self._without for each in records)

    def get(self, records: Sequence[Record]) -> Vectors:
        return np.tile(self._vector, (len(records), 1))


def ids(hits: list[Hit]) -> list[str]:
    return [hit.id for hit in hits]


def everything(reader: IndexReader, where: Filter = MATCH_ALL) -> set[str]:
    return set(ids(reader.vectors.nearest(EAST, top_k=10_000, where=where)))
