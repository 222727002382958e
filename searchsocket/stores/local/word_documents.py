"""The documents of a generation's word index: one a record, and one a page that holds all that the page says."""

import hashlib
import json
import os
import shutil
import sqlite3
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

import tantivy

from searchsocket.stores.local.records import PATH_ORDER
from searchsocket.urls import ancestors
from searchsocket.words import index_text, plain_words, split_code

# Fields of a record, and the one field of a page.
RECORD_FIELDS = ("title", "headings", "links", "path", "body", "code")
PAGE_FIELD = "page"
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


def schema() -> tantivy.Schema:
    """Fields of word lists, of whole tokens for filters, and the numbers that records.db knows the records by."""
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("doc", indexed=True, fast=True)  # of a record
    builder.add_unsigned_field("first", fast=True)  # of a page's first record
    for name in RECORD_FIELDS:
        builder.add_text_field(name, tokenizer_name="whitespace")
    builder.add_text_field(PAGE_FIELD, tokenizer_name="whitespace", index_option="freq")
    builder.add_text_field("plain", tokenizer_name="whitespace", index_option="basic")  # a vocabulary, never scored
    for name in ("key", "dirs", "tags"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    return builder.build()


def create_words(folder: Path) -> None:
    """An empty index of words."""
    folder.mkdir()
    tantivy.Index(schema(), str(folder), reuse=False)


def link_words(source: Path, target: Path) -> None:
    """Take over all segments by hard links: they never change, and the two small files that do are copied."""
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


def dead_share(folder: Path) -> float:
    """Deleted documents that segments still carry, as a share of the living; they cost space and skew BM25.

    Raises:
        ValueError, TypeError, KeyError: The file is damaged.
    """
    segments = json.loads((folder / "meta.json").read_bytes())["segments"]
    dead = sum(int((segment["deletes"] or {}).get("num_deleted_docs", 0)) for segment in segments)
    alive = sum(int(segment["max_doc"]) for segment in segments) - dead
    return dead / max(alive, 1)


def update_words(folder: Path, connection: sqlite3.Connection, removed: list[int], after_doc: int) -> None:
    """Delete the `removed` documents, add the records above `after_doc`, and write the pages of both anew.

    Args:
        connection: To the new records, with a table `touched (sort)` that names the pages of all these records.

    Raises:
        ValueError: tantivy cannot write.
    """
    index = tantivy.Index.open(str(folder))
    writer = index.writer(_HEAP_BYTES, 1)
    if removed:
        # Deletion by term takes every number for a signed one, and then matches nothing in an unsigned field.
        writer.delete_documents_by_query(tantivy.Query.term_set_query(index.schema, "doc", removed))
    if after_doc:  # else the index is empty
        for (sort,) in connection.execute("SELECT sort FROM touched"):
            writer.delete_documents_by_term("key", token(sort.hex()))
    rows = connection.execute(
        f"SELECT {', '.join(_Row._fields)} FROM records WHERE sort IN (SELECT sort FROM touched) ORDER BY {PATH_ORDER}"
    )
    for _, page in groupby(rows, key=itemgetter(1)):
        for document in _page_documents([_Row._make(row) for row in page], after_doc):
            writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    for lock in folder.glob("*.lock"):
        lock.unlink()


def _page_documents(rows: list[_Row], after_doc: int) -> Iterator[tantivy.Document]:
    """The new records of one page, and the page."""
    page = tantivy.Document()
    page.add_unsigned("first", rows[0].doc)
    page.add_text("key", token(rows[0].sort.hex()))
    shown: list[_Row] = []
    said: list[str] = []
    for row in rows:
        document, words = _record_document(row)
        if row.doc > after_doc:
            yield document
        if row.weight > 0:
            shown.append(row)
            # A summary says again what the page says, or what no reader of it sees.
            said += [words] if row.kind != "summary" else []
    if shown:
        page.add_text(PAGE_FIELD, " ".join([index_text(shown[0].title), *said]))
        _add_filters(page, shown[0].url, {tag for row in shown for tag in json.loads(row.tags)})
    yield page


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
