"""The documents of a generation's two word indexes: one per record, and one per page with all words of the page."""

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import tantivy

from searchsocket.stores.base.labels import labels_of
from searchsocket.stores.words import WORDS
from searchsocket.text.exact import exact_tokens
from searchsocket.text.words import index_text, names_of, spellings, split_code
from searchsocket.types import Prose
from searchsocket.web.urls.paths import ancestors

if TYPE_CHECKING:
    from searchsocket.stores.words.page_documents import Fields

# Searched fields of a record, and of a page, whose `said` contains all its text.
RECORD_FIELDS = ("title", "headings", "links", "path", "body", "code")
PAGE_FIELDS = ("said", "headings")
SAID = "said"
# Fields of a record that are never scored. The exact words of its text (`text/exact.py`) and the words of its
# vocabulary are mostly the same, so common words are stored once.
PLAIN = "plain"  # its vocabulary: see `spellings`
EXACT = "exact"  # exact words of its text that its vocabulary does not contain
LOOSE = "loose"  # words of its vocabulary that its text does not contain exactly
_OWN = "own"  # of a record, not indexed: its own headings or name, for the page's document
_MAX_TOKEN_CHARS = 200
HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+)", re.MULTILINE)


class WordRow(NamedTuple):
    """The columns of a record from which its words are extracted; lists are JSON."""

    doc: int
    sort: bytes
    kind: str
    weight: float
    url: str
    tags: str
    language: str
    facets: str
    title: str
    # Not read for a record whose document is already stored.
    link_texts: str
    at_heading_path: str | None  # None of code
    at_title: str | None  # likewise
    at_symbol: str | None  # None of prose
    body: str  # `Prose` or `Code`
    body_text: str


ROW_OF_NEW = WordRow._fields[WordRow._fields.index("link_texts") :]


def schema(part: str) -> tantivy.Schema:
    """Fields of word lists, of whole tokens for filters, and the number of the record in packs."""
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("doc", indexed=True, fast=True)  # of a page: that of its first record
    if part == WORDS:
        for name in RECORD_FIELDS:
            builder.add_text_field(name, tokenizer_name="whitespace")
        for name in (PLAIN, EXACT, LOOSE):
            builder.add_text_field(name, tokenizer_name="whitespace", index_option="basic")
    else:
        for name in PAGE_FIELDS:
            builder.add_text_field(name, tokenizer_name="whitespace", index_option="freq")
    for name in ("names", "dirs", "tags", "labels"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    return builder.build()


def documents_of(rows: Sequence[WordRow], stored: "Callable[[int], Fields | None]") -> "tuple[list[Fields], Fields]":
    """The documents of the records of one page, and that of the page.

    Args:
        stored: Returns the stored document of a record by its number, or None.
    """
    documents = [stored(row.doc) or _record_document(row) for row in rows]
    shown = [(row, document) for row, document in zip(rows, documents, strict=True) if row.weight > 0]
    page: dict[str, list[str]] = {}
    if shown:
        # A summary repeats the text of the page, or has text that its readers do not see.
        all_words = [
            words for row, document in shown if row.kind != "summary" for words in _words(document, "body", "code")
        ]
        page[SAID] = [" ".join([*_words(shown[0][1], "title"), *all_words])]
        page["headings"] = [" ".join(words for _, document in shown for words in _words(document, _OWN))]
        page["names"] = [token(name) for name in (*names_of(shown[0][0].title), shown[0][0].url)]
        page |= _filters([row for row, _ in shown])
    return documents, {"doc": rows[0].doc, **page}


def _words(document: "Fields", *fields: str) -> list[str]:
    return [str(texts[0]) if (texts := document.get(field)) and isinstance(texts, list) else "" for field in fields]


def _record_document(row: WordRow) -> "Fields":
    if row.weight <= 0:
        return {"doc": row.doc}  # counted, but never returned
    body, code = split_code(row.body_text) if row.body == Prose.__name__ else ("", row.body_text)
    values = {
        "title": row.title,
        "headings": "\n".join(_items(row.at_heading_path or "[]")),
        "links": "\n".join(_items(row.link_texts)),
        "path": row.url.replace("/", " "),
        "body": body,
        "code": code,
    }
    document = {name: [index_text(value)] for name, value in values.items() if value}
    own = HEADING.findall(body) if row.kind == "section" else [row.at_symbol] if row.at_symbol else []
    document[_OWN] = [" ".join(map(index_text, own))]
    names = dict.fromkeys(name for heading in (row.at_title or "", *own) for name in names_of(heading))
    document["names"] = [token(name) for name in names]
    spelled, exact = spellings("\n".join(values.values())), exact_tokens(row.body_text)
    if max(map(len, exact), default=0) > _MAX_TOKEN_CHARS:
        exact = set(map(token, exact))
    document[PLAIN] = [" ".join(spelled)]
    document[EXACT] = [" ".join(sorted(exact.difference(spelled)))]
    document[LOOSE] = [" ".join(word for word in spelled if word not in exact)]
    return {"doc": row.doc, **document, **_filters([row])}


def _filters(rows: Sequence[WordRow]) -> dict[str, list[str]]:
    """Filter values of rows of one page: all values that match any of the rows."""
    tags = sorted({tag for row in rows for tag in _items(row.tags)})
    labels = sorted({one for row in rows for one in labels_of(row.kind, row.language, _items(row.facets))})
    found = {"dirs": ancestors(rows[0].url), "tags": tags, "labels": labels}
    return {name: [token(value) for value in values] for name, values in found.items()}


@lru_cache(maxsize=1 << 12)  # tags, and links to a page, are those of all its records
def _items(text: str) -> tuple[str, ...]:
    return tuple(json.loads(text))


def token(value: str) -> str:
    """A value as one token of the index: a long value is replaced by its hash."""
    return value if len(value) <= _MAX_TOKEN_CHARS else hashlib.sha256(value.encode()).hexdigest()
