"""Pages of a generation that a search finds by default."""

from collections.abc import Sequence

from searchsocket.stores.base.reader import IndexReader
from searchsocket.types import Filter
from searchsocket.web.versions.labels import default_labels


def default_pages(reader: IndexReader, urls: Sequence[str]) -> list[str]:
    """The URLs that belong to a default version or to no version, in their order."""
    labels = default_labels(reader.generation.versions)
    if not labels:
        return [*urls]
    pages = frozenset(reader.words.pages_with((), where=Filter(facets=(labels,))))
    return [url for url in urls if url in pages]
