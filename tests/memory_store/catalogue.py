"""The records and page texts of one generation, in memory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory_store.facts import facts_of
from searchsocket.content.markdown.chunk_text import chunk_text
from searchsocket.errors import InvalidRequest, PageTextsMissing
from searchsocket.stores.base.index_reader import Facts, PageBody, ReadableRecord
from searchsocket.text.facets import split_label
from searchsocket.types import Record


@dataclass(frozen=True, slots=True)
class MemoryCatalogue:
    """Implements `CatalogueSnapshot`."""

    scope: str
    by_id: Mapping[str, Record]
    bodies: Mapping[str, PageBody]  # by URL

    def facts(self, ids: Sequence[str]) -> Facts:
        return facts_of(self.records(ids))

    def records(self, ids: Sequence[str]) -> list[Record]:
        if unknown := [id_ for id_ in ids if id_ not in self.by_id]:
            raise InvalidRequest(f"no record {unknown[0][:200]!r} in this index")
        return [self.by_id[id_] for id_ in ids]

    def readable(self, ids: Sequence[str]) -> list[ReadableRecord]:
        return [ReadableRecord(record, chunk_text(record.page, record.chunk)) for record in self.records(ids)]

    def read_ahead(self) -> None:
        """All is in memory."""

    def texts(self, ids: Sequence[str]) -> list[str]:
        return [record.chunk.body.text for record in self.records(ids)]

    def facets(self, ids: Sequence[str]) -> list[tuple[str, ...]]:
        return [record.page.facets for record in self.records(ids)]

    def languages_of(self, ids: Sequence[str]) -> list[str]:
        return [record.page.language for record in self.records(ids)]

    def fingerprints(self, after: str, limit: int) -> list[tuple[str, str]]:
        return sorted((id_, record.record_hash) for id_, record in self.by_id.items() if id_ > after)[:limit]

    def facet_labels(self) -> frozenset[str]:
        return frozenset(label for record in self.by_id.values() for label in record.page.facets)

    def facet_names(self) -> frozenset[str]:
        return frozenset(split_label(label)[0] for record in self.by_id.values() for label in record.page.facets)

    def languages(self) -> frozenset[str]:
        return frozenset(filter(None, (record.page.language for record in self.by_id.values())))

    def page_records(self, url: str) -> list[Record]:
        results = [record for record in self.by_id.values() if record.page.url == url]
        return sorted(results, key=lambda record: (record.chunk.ordinal, record.id))

    def page_digest(self, url: str) -> str:
        return self.bodies[url].digest if url in self.bodies else ""

    def key_phrases(self, url: str) -> tuple[str, ...]:
        return self.bodies[url].key_phrases if url in self.bodies else ()

    def page_body(self, url: str) -> str | None:
        if url not in self.bodies and self.page_records(url):
            raise PageTextsMissing(self.scope)
        return self.bodies[url].text if url in self.bodies else None
