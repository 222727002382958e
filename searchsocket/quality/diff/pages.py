"""Contents of a generation by page, in a form that is comparable between scopes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from searchsocket.content.chunking.moved import PageContent
from searchsocket.content.chunking.records import embedded_text
from searchsocket.models.paying.cost import estimate_tokens
from searchsocket.stores.base import IndexReader
from searchsocket.types import Record

_BATCH = 500


@dataclass(frozen=True, slots=True)
class Content:
    """A whole generation."""

    pages: Mapping[str, PageContent]  # by URL
    tokens: Mapping[str, int]  # of each text, by its hash, estimated


def read_content(reader: IndexReader) -> Content:
    """Read all pages of a generation, in batches of records; keeps only hashes, titles and records' order."""
    pages: dict[str, list[tuple[int, str, Record]]] = {}
    tokens: dict[str, int] = {}
    for record in _records(reader):
        tokens[record.content_hash] = estimate_tokens(embedded_text(record.page.title, record.chunk))
        pages.setdefault(record.page.url, []).append((record.chunk.ordinal, record.content_hash, record))
    return Content({url: _page(url, rows) for url, rows in sorted(pages.items())}, tokens)


def _records(reader: IndexReader) -> Iterator[Record]:
    after = ""
    while batch := reader.catalogue.fingerprints(after, _BATCH):
        yield from reader.catalogue.records([record_id for record_id, _ in batch])
        after = batch[-1][0]


def _page(url: str, rows: list[tuple[int, str, Record]]) -> PageContent:
    facts = rows[0][2].page
    texts = tuple(content_hash for _, content_hash, _ in sorted(rows, key=lambda row: row[:2]))
    return PageContent(url, facts.address or url, facts.title, texts)
