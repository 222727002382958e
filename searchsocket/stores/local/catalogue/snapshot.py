"""The records and page texts of a generation, open for queries."""

from collections.abc import Iterator, Sequence

from searchsocket.errors import PageTextsMissing
from searchsocket.stores.base import Facts, ReadableRecord
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
        """See `CatalogueSnapshot.facts`."""
        rows = self._numbering.rows_of(ids)
        with self._damage:
            return self._facts.take(rows)

    def facets(self, ids: Sequence[str]) -> list[tuple[str, ...]]:
        """See `CatalogueSnapshot.facets`."""
        rows = self._numbering.rows_of(ids)
        with self._damage:
            return self._labelled.facets_of(rows)

    def languages_of(self, ids: Sequence[str]) -> list[str]:
        """See `CatalogueSnapshot.languages_of`."""
        rows = self._numbering.rows_of(ids)
        with self._damage:
            return self._labelled.languages_of(rows)

    def facet_names(self) -> frozenset[str]:
        """See `CatalogueSnapshot.facet_names`."""
        with self._damage:
            return self._labelled.facet_names()

    def languages(self) -> frozenset[str]:
        """See `CatalogueSnapshot.languages`."""
        with self._damage:
            return self._labelled.languages()

    def records(self, ids: Sequence[str]) -> list[Record]:
        """See `CatalogueSnapshot.records`."""
        return [item.record for item in self.readable(ids)]

    def readable(self, ids: Sequence[str]) -> list[ReadableRecord]:
        """See `CatalogueSnapshot.readable`."""
        return self._records.readable(self._numbering.docs_of(ids))

    def read_ahead(self) -> None:
        """See `CatalogueSnapshot.read_ahead`."""
        self._records.read_ahead(self._numbering.docs.tolist())

    def take_over(self, before: "LocalCatalogue") -> None:
        """See `RecordCache.take_over`."""
        self._records.take_over(before._records)

    def texts(self, ids: Sequence[str]) -> list[str]:
        """See `CatalogueSnapshot.texts`."""
        return self._records.texts(self._numbering.docs_of(ids))

    def page_records(self, url: str) -> list[Record]:
        """See `CatalogueSnapshot.page_records`."""
        return [item.record for item in self._records.readable(self._docs_of_page(url))]

    def page_body(self, url: str) -> str | None:
        """See `CatalogueSnapshot.page_body`."""
        text = self._bodies.text(url, self._page_text)
        if text is None and self._docs_of_page(url):
            raise PageTextsMissing(self._scope)
        return text

    def page_digest(self, url: str) -> str:
        """See `CatalogueSnapshot.page_digest`."""
        return self._bodies.digest(url)

    def key_phrases(self, url: str) -> tuple[str, ...]:
        """See `CatalogueSnapshot.key_phrases`."""
        return self._bodies.key_phrases(url)

    def body_digests(self) -> Iterator[tuple[str, str]]:
        """See `Catalogue.body_digests`."""
        return all_digests(self._bodies)

    def fingerprints(self, after: str, limit: int) -> list[tuple[str, str]]:
        """See `CatalogueSnapshot.fingerprints`."""
        return self._numbering.fingerprints(after, limit)

    def _page_text(self, url: str) -> str:
        return "\n".join(self._records.texts(self._docs_of_page(url)))

    def _docs_of_page(self, url: str) -> list[int]:
        with self._damage:
            docs: list[int] = self._numbering.docs[self._facts.rows_of_page(path_key(url))].tolist()
            return docs
