"""One generation in memory, open for queries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from searchsocket.errors import InvalidRequest, PageTextsMissing
from searchsocket.markdown.chunk_text import chunk_text
from searchsocket.stores.base import Facts, Join, PageBody, Shown, VectorSnapshot, WordSnapshot
from searchsocket.types import Generation, Record
from searchsocket.urls.paths import sort_key


@dataclass(frozen=True, slots=True)
class MemoryCatalogue:
    """Implements `CatalogueSnapshot`."""

    scope: str
    by_id: Mapping[str, Record]
    bodies: Mapping[str, PageBody]  # by URL

    def facts(self, ids: Sequence[str]) -> Facts:
        """See `CatalogueSnapshot.facts`."""
        records = self.records(ids)
        keys = [(sort_key(record.page.url), record.chunk.ordinal, record.id) for record in records]
        order = {key: i for i, key in enumerate(sorted(set(keys)))}
        return Facts(
            url=[record.page.url for record in records],
            title=[record.page.title for record in records],
            anchor=[record.chunk.at.anchor for record in records],
            kind=[record.chunk.kind for record in records],
            order=np.array([order[key] for key in keys], np.int64),
            depth=np.array([record.page.depth for record in records], np.int64),
            incoming_links=np.array([record.page.incoming_links for record in records], np.int64),
            weight=np.array([record.page.weight for record in records], np.float64),
        )

    def records(self, ids: Sequence[str]) -> list[Record]:
        """See `CatalogueSnapshot.records`."""
        if unknown := [id_ for id_ in ids if id_ not in self.by_id]:
            raise InvalidRequest(f"no record {unknown[0][:200]!r} in this index")
        return [self.by_id[id_] for id_ in ids]

    def shown(self, ids: Sequence[str]) -> list[Shown]:
        """See `CatalogueSnapshot.shown`."""
        return [Shown(record, chunk_text(record.page, record.chunk)) for record in self.records(ids)]

    def texts(self, ids: Sequence[str]) -> list[str]:
        """See `CatalogueSnapshot.texts`."""
        return [record.chunk.body.text for record in self.records(ids)]

    def page_records(self, url: str) -> list[Record]:
        """See `CatalogueSnapshot.page_records`."""
        found = [record for record in self.by_id.values() if record.page.url == url]
        return sorted(found, key=lambda record: (record.chunk.ordinal, record.id))

    def page_body(self, url: str) -> str | None:
        """See `CatalogueSnapshot.page_body`."""
        if url not in self.bodies and self.page_records(url):
            raise PageTextsMissing(self.scope)
        return self.bodies[url].text if url in self.bodies else None


@dataclass(frozen=True, slots=True)
class MemoryReader:
    """Implements `IndexReader`."""

    generation: Generation
    catalogue: MemoryCatalogue
    words: WordSnapshot
    vectors: VectorSnapshot
    join: Join | None = None
