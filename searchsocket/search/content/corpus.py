"""A corpus as it is asked for content: one folder that callers name, opened."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from searchsocket.content.mirror.paths import mirror_name
from searchsocket.errors import ChunkGone, DocumentMissing
from searchsocket.models.embedders.queries import NoVector
from searchsocket.stores.base import IndexReader
from searchsocket.types import MATCH_ALL, ChunkKind, Filter, Record, Vector

CorpusKind = Literal["site", "code"]
LINKS: ChunkKind = "links"
_HASH_CHARS = 12
_MAX_READINGS = 8


@dataclass(frozen=True)
class Corpus:
    """The pages of a scope, or its source files, in one generation."""

    folder_id: str  # as callers name it: `site`, `code`, `docs/site`
    kind: CorpusKind
    reader: IndexReader
    vector: Callable[[str], Vector | NoVector]  # of a text, comparable with those of the generation
    changed: Callable[[str], bool | None] = lambda _: None  # whether a source file is newer than the generation
    is_read: Callable[[], bool] = lambda: False  # whether what makes these reads a text as a whole, see `shares_of`

    @property
    def where(self) -> Filter:
        """The filter for content: page summaries are left out, because they repeat the description or headings."""
        return Filter(kinds=("section", LINKS, "definition", "block")) if self.kind == "site" else MATCH_ALL

    @property
    def where_said(self) -> Filter:
        """The filter for a search by meaning: lists of links are left out, because they match every subject of their
        pages.
        """
        return Filter(kinds=("section", "definition", "block")) if self.kind == "site" else MATCH_ALL

    def by_meaning(self) -> tuple[int, frozenset[str]]:
        """The number of chunks to search by meaning, and the ids that only exact terms find."""
        holding = self.reader.words.holding
        links = holding((), where=Filter(kinds=(LINKS,))) if self.kind == "site" else ()
        return len(holding((), where=self.where_said)), frozenset(links)

    def file_path(self, url: str) -> str:
        """The document of a URL: the file in the repository, or the page's file in the mirror."""
        return url[1:] if self.kind == "code" else mirror_name(url)

    def url_of(self, file_path: str) -> str:
        """The URL of a document.

        Raises:
            DocumentMissing: The generation holds no such document.
        """
        url = f"/{file_path}" if self.kind == "code" else self._urls.get(file_path, "")
        if url and self.reader.catalogue.page_records(url):
            return url
        raise DocumentMissing(file_path, self.folder_id)

    @cached_property
    def common_description(self) -> str:
        """That of the home page: sites whose pages have none of their own give it to each of them."""
        home = self.reader.catalogue.page_records("/") if self.kind == "site" else []
        return home[0].page.description if home else ""

    def chunk_index(self, record: Record) -> int:
        """The position of a chunk in its document, from 0, without page summaries."""
        first = self.reader.catalogue.page_records(record.page.url)[0]
        return record.chunk.ordinal - (first.chunk.kind == "summary")

    @cached_property
    def _urls(self) -> dict[str, str]:
        return {mirror_name(url): url for url in self.reader.words.pages_with(())}

    def record_of(self, chunk_id: str) -> Record:
        """The chunk of an id.

        Raises:
            ChunkGone: There is none, or it says something else than when the id was given.
        """
        ref, _, digest = chunk_id.rpartition("@")
        # Names of files may hold what ends the path of a page.
        ends = [at for at, char in enumerate(ref) if char == "#"][:_MAX_READINGS]
        for url in (ref[:end] for end in (*ends, len(ref))):
            for record in self.reader.catalogue.page_records(url) if url.startswith("/") else ():
                if record.ref == ref and digest == record.content_hash[:_HASH_CHARS]:
                    return record
        raise ChunkGone(chunk_id, self.reader.generation.name)


def chunk_id(record: Record) -> str:
    """The name of a chunk while there is one that says the same under the same heading or symbol."""
    return f"{record.ref}@{record.content_hash[:_HASH_CHARS]}"
