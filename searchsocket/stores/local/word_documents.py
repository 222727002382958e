"""The documents of a generation's two word indexes: one a record, and one a page, of all that the page says."""

import hashlib
import json
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

import tantivy

from searchsocket.stores.local.layout import PAGES, WORDS
from searchsocket.stores.local.records import PATH_ORDER
from searchsocket.urls import ancestors
from searchsocket.words import index_text, plain_words, split_code

# Fields of a record, and the one field of a page.
RECORD_FIELDS = ("title", "headings", "links", "path", "body", "code")
PAGE_FIELDS = ("said",)
_HEAP_BYTES = 64_000_000
_MAX_TOKEN_CHARS = 200


class _Row(NamedTuple):
    """The columns of a record that its words come from; lists are JSON."""

    doc: int
    sort: bytes
    kind: str
    weight: float
    title: str
    heading_path: str
    link_texts: str
    text: str
    url: str
    tags: str


def _schema(part: str) -> tantivy.Schema:
    """Fields of word lists, of whole tokens for filters, and the number that records.db knows the record by."""
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("doc", indexed=True, fast=True)  # of the record, or of the page's first one
    if part == WORDS:
        for name in RECORD_FIELDS:
            builder.add_text_field(name, tokenizer_name="whitespace")
        builder.add_text_field("plain", tokenizer_name="whitespace", index_option="basic")  # a vocabulary, never scored
    else:
        for name in PAGE_FIELDS:
            builder.add_text_field(name, tokenizer_name="whitespace", index_option="freq")
        builder.add_text_field("key", tokenizer_name="raw", index_option="basic")
    for name in ("dirs", "tags"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    return builder.build()


def create_words(generation: Path) -> None:
    """Empty indexes of words."""
    for part in (WORDS, PAGES):
        (generation / part).mkdir()
        tantivy.Index(_schema(part), str(generation / part), reuse=False)


def link_words(source: Path, target: Path) -> None:
    """Take over all segments of a generation by hard links: they never change, and what does is copied: small files."""
    for part in (WORDS, PAGES):
        _link_index(source / part, target / part)


def _link_index(source: Path, target: Path) -> None:
    target.mkdir()
    for entry in sorted(os.scandir(source), key=lambda entry: entry.name):
        if entry.name.endswith(".lock"):
            continue
        if entry.name in ("meta.json", ".managed.json"):
            shutil.copyfile(entry.path, target / entry.name)
            continue
        try:
            os.link(entry.path, target / entry.name)
        except OSError:  # a file system without hard links
            shutil.copyfile(entry.path, target / entry.name)


def dead_share(generation: Path) -> float:
    """Deleted documents that segments still carry, as a share of the living; they cost space and skew BM25.

    Raises:
        ValueError, TypeError, KeyError: A file is damaged.
    """
    return max(_dead_share(generation / part) for part in (WORDS, PAGES))


def _dead_share(folder: Path) -> float:
    segments = json.loads((folder / "meta.json").read_bytes())["segments"]
    dead = sum(int((segment["deletes"] or {}).get("num_deleted_docs", 0)) for segment in segments)
    alive = sum(int(segment["max_doc"]) for segment in segments) - dead
    return dead / max(alive, 1)


def update_words(generation: Path, connection: sqlite3.Connection, removed: list[int], after_doc: int) -> None:
    """Delete the `removed` records, add those above `after_doc`, and write the pages of both anew.

    Args:
        connection: To the new records, with a table `touched (sort)` that names the pages of all these records.

    Raises:
        ValueError: tantivy cannot write.
    """
    with _writer(generation / WORDS) as records, _writer(generation / PAGES) as pages:
        if removed:
            # Deletion by term takes every number for a signed one, and then matches nothing in an unsigned field.
            records.delete_documents_by_query(tantivy.Query.term_set_query(_schema(WORDS), "doc", removed))
        if after_doc:  # else the index is empty
            for (sort,) in connection.execute("SELECT sort FROM touched"):
                pages.delete_documents_by_term("key", token(sort.hex()))
        rows = connection.execute(
            f"SELECT {', '.join(_Row._fields)} FROM records "
            f"WHERE sort IN (SELECT sort FROM touched) ORDER BY {PATH_ORDER}"
        )
        for _, page in groupby(map(_Row._make, rows), key=attrgetter("sort")):
            pages.add_document(_add_page(records, list(page), after_doc))


@contextmanager
def _writer(folder: Path) -> Iterator[tantivy.IndexWriter]:
    """A writer that commits at the end, and leaves no lock files behind."""
    writer = tantivy.Index.open(str(folder)).writer(_HEAP_BYTES, 1)
    yield writer
    writer.commit()
    writer.wait_merging_threads()
    for lock in folder.glob("*.lock"):
        lock.unlink()


def _add_page(records: tantivy.IndexWriter, rows: list[_Row], after_doc: int) -> tantivy.Document:
    """Add the new records of one page; returns the page."""
    page = tantivy.Document()
    page.add_unsigned("doc", rows[0].doc)
    page.add_text("key", token(rows[0].sort.hex()))
    shown: list[_Row] = []
    said: list[str] = []
    for row in rows:
        document, words = _record_document(row)
        if row.doc > after_doc:
            records.add_document(document)
        if row.weight > 0:
            shown.append(row)
            # A summary says again what the page says, or what no reader of it sees.
            said += [words] if row.kind != "summary" else []
    if shown:
        page.add_text("said", " ".join([index_text(shown[0].title), *said]))
        _add_filters(page, shown[0].url, {tag for row in shown for tag in json.loads(row.tags)})
    return page


def _record_document(row: _Row) -> tuple[tantivy.Document, str]:
    """A record, and the words of its text."""
    document = tantivy.Document()
    document.add_unsigned("doc", row.doc)
    if row.weight <= 0:
        return document, ""  # counted, but never found
    body, code = split_code(row.text)
    values = {
        "title": row.title,
        "headings": "\n".join(json.loads(row.heading_path)),
        "links": "\n".join(json.loads(row.link_texts)),
        "path": row.url.replace("/", " "),
        "body": body,
        "code": code,
    }
    words = {name: index_text(value) for name, value in values.items() if value}
    for name, value in words.items():
        document.add_text(name, value)
    document.add_text("plain", " ".join(plain_words("\n".join(values.values()))))
    _add_filters(document, row.url, set(json.loads(row.tags)))
    return document, f"{words.get('body', '')} {words.get('code', '')}"


def _add_filters(document: tantivy.Document, url: str, tags: set[str]) -> None:
    for path in ancestors(url):
        document.add_text("dirs", token(path))
    for tag in sorted(tags):
        document.add_text("tags", token(tag))


def token(value: str) -> str:
    """A value as the index keeps it whole: a long one by its hash."""
    return value if len(value) <= _MAX_TOKEN_CHARS else hashlib.sha256(value.encode()).hexdigest()
