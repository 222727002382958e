"""Reader of one open generation, which answers the queries of a scope."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from searchsocket.stores.base.catalogue import CatalogueSnapshot, Facts
from searchsocket.stores.base.vectors import VectorSnapshot
from searchsocket.stores.base.words import WordSnapshot
from searchsocket.types import Filter, Generation, Scores, Vector
from searchsocket.web.versions.labels import default_labels

# Opened around the work on one list, by its name: `vector` or `keyword`.
Watch = Callable[[str], AbstractContextManager[object]]


@dataclass(frozen=True, slots=True)
class Candidates:
    """Records that some list of a query found, in no order, by column: position i belongs to record i."""

    ids: Sequence[str]
    facts: Facts
    cosine: Scores  # of all
    bm25: Scores  # 0 for those that are not among the best by words
    page_bm25: Scores  # of the page; 0 for pages that are not among the best
    titled: Scores  # of the page: match of the query with its title, see `WordSnapshot.named`; 0 if none
    headed: Scores  # match of the query with a heading in it
    best_cosine: float  # of all records that match the filter; -1 if there are none


class Join(Protocol):
    """A store's fast path for `ListJoin` of `search/candidates.py`, with the same answer."""

    def __call__(self, vector: Vector, text: str, *, top_k: int, where: Filter, watch: Watch) -> Candidates: ...


class IndexReader(Protocol):
    """A snapshot of a generation of a scope: every call on one reader and its parts answers from the same one."""

    @property
    def generation(self) -> Generation: ...

    @property
    def catalogue(self) -> CatalogueSnapshot: ...

    @property
    def words(self) -> WordSnapshot: ...

    @property
    def vectors(self) -> VectorSnapshot: ...

    @property
    def join(self) -> Join | None:
        """A fast path if all parts are in one place; None: the lists are joined by id."""


def default_pages(reader: IndexReader, urls: Sequence[str]) -> list[str]:
    """The URLs that belong to a default version or to no version, in their order."""
    labels = default_labels(reader.generation.versions)
    if not labels:
        return [*urls]
    pages = frozenset(reader.words.pages_with((), where=Filter(facets=(labels,))))
    return [url for url in urls if url in pages]
