"""The records and page texts of one generation, as a query sees them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from searchsocket.content.markdown.chunk_text import ChunkText
from searchsocket.types import Record


@dataclass(frozen=True, slots=True)
class Facts:
    """Ranking facts of some records, by column: position i belongs to record i."""

    url: Sequence[str]
    title: Sequence[str]
    anchor: Sequence[str]
    kind: Sequence[str]  # `ChunkKind`
    order: NDArray[np.integer]  # numbers: shape (n,); rises in path order, on a page by ordinal and then by id
    depth: NDArray[np.integer]
    incoming_links: NDArray[np.integer]
    weight: NDArray[np.float64]


class ReadableRecord(NamedTuple):
    """A record with its text as a person reads it."""

    record: Record
    text: ChunkText


@dataclass(frozen=True, slots=True)
class PageBody:
    """The text of one page, as the generation with its records serves it."""

    url: str
    digest: str  # equal digests mean equal texts
    text: str  # of its mirror file
    key_phrases: tuple[str, ...] = ()  # of that text alone, at most 7, see `text/key_phrases.py`


class CatalogueSnapshot(Protocol):
    """Interface to the records and page texts of one generation. Safe to share between threads."""

    def facts(self, ids: Sequence[str]) -> Facts:
        """Ranking facts of the named records, in the order of `ids`.

        Ranking reads every candidate of a query, so this must cost far less than `records`.

        Raises:
            InvalidRequest: There is no such record.
        """

    def records(self, ids: Sequence[str]) -> list[Record]:
        """The named records, in the order of `ids`.

        Raises:
            InvalidRequest: There is no such record.
        """

    def readable(self, ids: Sequence[str]) -> list[ReadableRecord]:
        """The named records with their texts as a person reads them, in the order of `ids`.

        Raises:
            InvalidRequest: There is no such record.
        """

    def read_ahead(self) -> None:
        """Load the results of `readable` into memory if they are small, so that no query of a service waits for them.

        Raises:
            IndexCorrupt: A file is damaged.
        """

    def texts(self, ids: Sequence[str]) -> list[str]:
        """The `text` alone of the named records, in the order of `ids`: far less than `records`.

        Raises:
            InvalidRequest: There is no such record.
        """

    def facets(self, ids: Sequence[str]) -> list[tuple[str, ...]]:
        """Facets of the pages of the named records, as `PageFacts.facets`, in the order of `ids`.

        Raises:
            InvalidRequest: There is no such record.
        """

    def languages_of(self, ids: Sequence[str]) -> list[str]:
        """Languages of the pages of the named records, "" if unknown, in the order of `ids`.

        Raises:
            InvalidRequest: There is no such record.
        """

    def facet_names(self) -> frozenset[str]:
        """The facets that any page states."""

    def languages(self) -> frozenset[str]:
        """The languages of all pages, as the pages state them."""

    def fingerprints(self, after: str, limit: int) -> list[tuple[str, str]]:
        """The next (id, record_hash) pairs after the id `after`, in rising order of id."""

    def page_records(self, url: str) -> list[Record]:
        """All records of one page, by ordinal; empty if there is no such page."""

    def page_body(self, url: str) -> str | None:
        """The text of one page; None if there is no such page.

        Raises:
            PageTextsMissing: The page has records, but was published without its text.
        """

    def key_phrases(self, url: str) -> tuple[str, ...]:
        """The key phrases stored with the text of one page; empty if it has no text. As cheap as `page_digest`."""

    def page_digest(self, url: str) -> str:
        """The digest stored with the text of one page; "" if it has no text. Costs far less than the text."""
