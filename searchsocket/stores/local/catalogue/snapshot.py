"""The records and page texts of a generation, open for queries."""

from collections.abc import Collection, Iterator, Sequence

from searchsocket.errors import PageTextsMissing
from searchsocket.stores.base.index_reader import Facts, ReadableRecord
from searchsocket.stores.local.catalogue.bodies import BodyFile, all_digests
from searchsocket.stores.local.catalogue.facts import FactTable, LabelledRows
from searchsocket.stores.local.catalogue.packs import RecordCache
from searchsocket.stores.local.catalogue.records import path_key
from searchsocket.stores.local.layout import NamingDamage
from searchsocket.stores.local.numbering import Numbering
from searchsocket.types import Record


class LocalCatalogue:
    """Implements `CatalogueSnapshot`."""

    def __init__(
        self,
        scope: str,
        numbering: Numbering,
        fact_table: FactTable,
        labelled: LabelledRows,
        records: RecordCache,
        bodies: BodyFile,
        damage: NamingDamage,
    ) -> None:
        self._scope = scope
        self._numbering = numbering
        self._facts = fact_table
        self._labelled = labelled
        self._records = records
        self._bodies = bodies
        self._damage = damage

    def facts(self, ids: Sequence[str]) -> Facts:
        """Return the ranking facts of each record, in the order of `ids`."""
        rows = self._numbering.rows_of(ids)
        with self._damage:
            return self._facts.take(rows)

    def facets(self, ids: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the facets of the page of each record, in the order of `ids`."""
        rows = self._numbering.rows_of(ids)
        with self._damage:
            return self._labelled.facets_of(rows)

    def languages_of(self, ids: Sequence[str]) -> list[str]:
        """Return the language of the page of each record, "" if unknown, in the order of `ids`."""
        rows = self._numbering.rows_of(ids)
        with self._damage:
            return self._labelled.languages_of(rows)

    def facet_labels(self) -> Collection[str]:
        """Return the facets of all pages, each once."""
        with self._damage:
            return self._labelled.facet_labels()

    def facet_names(self) -> frozenset[str]:
        """Return the facets that any page states."""
        with self._damage:
            return self._labelled.facet_names()

    def languages(self) -> frozenset[str]:
        """Return the languages of all pages."""
        with self._damage:
            return self._labelled.languages()

    def records(self, ids: Sequence[str]) -> list[Record]:
        """Return the records, in the order of `ids`."""
        return [item.record for item in self.readable(ids)]

    def readable(self, ids: Sequence[str]) -> list[ReadableRecord]:
        """Return the records with their readable texts, in the order of `ids`."""
        return self._records.readable(self._numbering.docs_of(ids))

    def read_ahead(self) -> None:
        """Load the readable texts into memory if they are small."""
        self._records.read_ahead(self._numbering.docs.tolist())

    def copy_unchanged(self, before: "LocalCatalogue") -> None:
        """Copy unchanged records from the cache of the previous generation."""
        self._records.copy_unchanged(before._records)

    def texts(self, ids: Sequence[str]) -> list[str]:
        """Return the `text` of each record, in the order of `ids`."""
        return self._records.texts(self._numbering.docs_of(ids))

    def page_records(self, url: str) -> list[Record]:
        """Return the records of a page by ordinal; empty if there is no such page."""
        return [item.record for item in self._records.readable(self._docs_of_page(url))]

    def page_body(self, url: str) -> str | None:
        """Return the text of a page; None if there is no such page."""
        text = self._bodies.text(url, self._page_text)
        if text is None and self._docs_of_page(url):
            raise PageTextsMissing(self._scope)
        return text

    def page_digest(self, url: str) -> str:
        """Return the digest of the text of a page; "" if it has no text."""
        return self._bodies.digest(url)

    def key_phrases(self, url: str) -> tuple[str, ...]:
        """Return the key phrases of a page; empty if it has no text."""
        return self._bodies.key_phrases(url)

    def body_digests(self) -> Iterator[tuple[str, str]]:
        """Yield (url, digest) of the text of every live page that has one, by rising URL."""
        return all_digests(self._bodies)

    def fingerprints(self, after: str, limit: int) -> list[tuple[str, str]]:
        """Return the next `limit` (id, record_hash) pairs after an id, by rising id."""
        return self._numbering.fingerprints(after, limit)

    def _page_text(self, url: str) -> str:
        return "\n".join(self._records.texts(self._docs_of_page(url)))

    def _docs_of_page(self, url: str) -> list[int]:
        with self._damage:
            docs: list[int] = self._numbering.docs[self._facts.rows_of_page(path_key(url))].tolist()
            return docs
