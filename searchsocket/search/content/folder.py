"""Folders of content: the pages of a scope. Extensions have folders of other documents."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from searchsocket.content.mirror import body_line, mirror_name, parse_page
from searchsocket.curation.rules import PageRule
from searchsocket.errors import ChunkGone, DocumentMissing
from searchsocket.models.embedders.queries import NoVector
from searchsocket.search.query import SearchQuery
from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.types import MATCH_ALL, ChunkKind, CodeKind, Filter, PageFacts, Record, Vector
from searchsocket.web.versions.names import default_labels

LINKS: ChunkKind = "links"
_HASH_CHARS = 12
_MAX_READINGS = 8


@dataclass(frozen=True)
class ContentFolder(ABC):
    """Documents of one generation."""

    folder_id: str  # as callers name it: `site`, `code`, `docs/site`
    reader: IndexReader
    vector: Callable[[str], Vector | NoVector]  # embeds a text, comparable with the vectors of the generation
    changed: Callable[[PageFacts], bool | None] = lambda _: None  # True if a page's file has other bytes than indexed
    is_read: Callable[[], bool] = lambda: False  # True if the embedder reads a text as a whole, see `shares_of`
    request: SearchQuery | None = None  # conditions on its documents, resolved in the generation
    rules: Callable[[str], Sequence[PageRule]] = lambda _: ()  # of the owner, for a query

    has_urls = True  # its documents open in a browser
    where = MATCH_ALL  # filter for content
    meaning_filter = MATCH_ALL  # filter for a search by meaning
    common_description = ""  # of the home page; some sites repeat it on pages without their own

    @abstractmethod
    def file_path(self, url: str) -> str:
        """Return the path of a document: the file in the repository, or the page's file in the mirror."""

    @abstractmethod
    def text(self, url: str) -> tuple[str, int]:
        """Return the text of a document, and the offset to subtract from line numbers of its chunks."""

    @abstractmethod
    def _url(self, file_path: str) -> str: ...

    def by_meaning(self) -> tuple[int, frozenset[str]]:
        """Return the number of chunks to search by meaning, and the ids that only exact terms find."""
        return len(self.reader.words.holding((), where=self.meaning_filter)), frozenset()

    def url_of(self, file_path: str) -> str:
        """Return the URL of a document.

        Raises:
            DocumentMissing: The document is not in the generation.
        """
        url = self._url(file_path)
        if url and self.reader.catalogue.page_records(url):
            return url
        raise DocumentMissing(file_path, self.folder_id)

    def chunk_index(self, record: Record) -> int:
        """Return the position of a chunk in its document, from 0, without page summaries."""
        first = self.reader.catalogue.page_records(record.page.url)[0]
        return record.chunk.ordinal - (first.chunk.kind == "summary")

    def record_of(self, chunk_id: str) -> Record:
        """Return the chunk with an id.

        Raises:
            ChunkGone: The chunk does not exist, or its text changed since the id was made.
        """
        ref, _, digest = chunk_id.rpartition("@")
        # File names may contain `#`, which also separates the URL from the rest of the id.
        ends = [at for at, char in enumerate(ref) if char == "#"][:_MAX_READINGS]
        for url in (ref[:end] for end in (*ends, len(ref))):
            for record in self.reader.catalogue.page_records(url) if url.startswith("/") else ():
                if record.ref == ref and digest == record.content_hash[:_HASH_CHARS]:
                    return record
        raise ChunkGone(chunk_id, self.reader.generation.name)


class PageFolder(ContentFolder):
    """The pages of a scope."""

    @cached_property
    def where(self) -> Filter:  # type: ignore[override]
        # Page summaries are left out, because they repeat the description or headings.
        return self._filter("section", LINKS, "definition", "block")

    @cached_property
    def meaning_filter(self) -> Filter:  # type: ignore[override]
        # Lists of links are left out, because they match every subject of their pages.
        return self._filter("section", "definition", "block")

    def _filter(self, *kinds: ChunkKind | CodeKind) -> Filter:
        """Chunks of some kinds that meet the request; without one, in the versions that are searched by default."""
        if self.request:
            where = self.request.where
            return replace(where, kinds=where.kinds or kinds)
        labels = default_labels(self.reader.generation.versions)
        return Filter(kinds=kinds, facets=(labels,) if labels else ())

    def file_path(self, url: str) -> str:
        return mirror_name(url)

    def text(self, url: str) -> tuple[str, int]:
        page = parse_page(self.reader.catalogue.page_body(url) or "")
        return page.body, body_line(page) - 1

    def by_meaning(self) -> tuple[int, frozenset[str]]:
        count, _ = super().by_meaning()
        return count, frozenset(self.reader.words.holding((), where=self._filter(LINKS)))

    @cached_property
    def common_description(self) -> str:  # type: ignore[override]
        home = self.reader.catalogue.page_records("/")
        return home[0].page.description if home else ""

    def _url(self, file_path: str) -> str:
        return self._urls.get(file_path, "")

    @cached_property
    def _urls(self) -> dict[str, str]:
        return {mirror_name(url): url for url in self.reader.words.pages_with(())}


def chunk_id(record: Record) -> str:
    """Return the id of a chunk; valid while its text and its heading or symbol stay the same."""
    return f"{record.ref}@{record.content_hash[:_HASH_CHARS]}"
