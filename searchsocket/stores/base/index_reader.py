"""Interface to one open generation: its records and page texts, its words, and both with its vectors."""

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from searchsocket.content.markdown.chunk_text import ChunkText
from searchsocket.stores.base.vectors import VectorSnapshot
from searchsocket.types import MATCH_ALL, Filter, Generation, Hit, Record, Scores, Vector
from searchsocket.web.versions.names import default_labels

if TYPE_CHECKING:
    from searchsocket.text.synonyms import Forms

# Opened around the work on one list, by its name: `vector` or `keyword`.
Watch = Callable[[str], AbstractContextManager[object]]


@dataclass(frozen=True, slots=True)
class WordEvidence:
    """Maximum evidence for a query on any single page, for each number independently."""

    share: float  # of the query's words, each weighted by its rarity among pages, in [0, 1]
    count: int  # different words
    indexed_share: float  # share of the query's words that any page contains, in [0, 1]; typos do not count
    query_words: int = 1  # words of the query that count
    missing: tuple[str, ...] = ()  # those of them that no page contains in any form, as typed
    corrections: tuple[tuple[str, "Forms"], ...] = ()  # words as typed, and what they may mean, such as typos


class Named(NamedTuple):
    """Match of a query with a name: 1 for the exact name, less for a prefix."""

    pages: list[Hit]  # by URL, for their titles
    records: list[Hit]  # for the headings in them


class Letters(NamedTuple):
    """A sequence of letters to find in a text."""

    letters: str  # 3 to 32 of them, folded
    is_word: bool = True  # no letter before or after it; False: it may be part of a longer word


class TermHit(NamedTuple):
    """A record that contains some of the requested terms."""

    id: str
    score: float
    terms: tuple[str, ...]  # those that it contains, in the order of the request


class WordSnapshot(Protocol):
    """Word search interface. Safe to share between threads."""

    def search(self, text: str, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """At most `top_k` records that contain words of `text` and match `where`, best first; equals by rising id."""

    def search_pages(self, text: str, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """At most `top_k` pages whose whole text contains words of `text`, by URL, best first; equals in path order.

        A page is one document here, so its length counts, and words may be far apart.
        Path order is that of `urls.sort_key`.
        """

    def named(self, text: str, *, top_k: int, where: Filter = MATCH_ALL) -> Named:
        """At most `top_k` pages and records whose name is `text` or, for unfinished typing, starts with it.

        Case, punctuation, a bracketed suffix and the site's name as a prefix are ignored.
        """

    def neighbours(self, text: str, ids: Sequence[str]) -> list[float]:
        """For each record, the share of adjacent word pairs of `text` that are adjacent in a field, in [0, 1].

        Stop words do not count, and one word may be between the two. 0 if `text` has no pair.
        """

    def sentences(self, text: str, ids: Sequence[str]) -> list[bool]:
        """For each record, whether a field has all words of `text` close together, in any order.

        Stop words count too, and one other word may be among them. False unless `text` has two or three words
        besides stop words, and a stop word.
        """

    def word_proximity(self, text: str, ids: Sequence[str]) -> list[float]:
        """For each record, the share of the words of `text` that it contains, in [0, 1]; rare words weigh more.

        Words count as typed, with any ending. Typos, synonyms and stop words do not count.
        """

    def satisfying(self, text: str, ids: Sequence[str]) -> list[bool]:
        """For each record, whether it meets the conditions of `text`; all do if it has none.

        The record contains every quoted phrase in one field. Its page contains no word that has a minus in front, in
        its title, path or text. A word that documents write with the minus, such as a flag, is not excluded.
        """

    def corrected(self, text: str) -> str:
        """Correct `text` to the name of a page or section within two typos, and remove the product's name.

        Excluded words are removed too, see `satisfying`.

        The product's name is a word of nearly all pages. It is kept if the name of a page or section contains it.
        """

    def pages_with(self, letters: Sequence[Letters], *, where: Filter = MATCH_ALL) -> list[str]:
        """The URLs of all pages, in path order, that contain all the letters and a record that matches `where`.

        The result may contain other pages too, so the caller checks their text. Pages of weight 0 are excluded.
        """

    def rarities(self, text: str) -> dict[str, float]:
        """Rarity of each word of `text` among pages, by its exact form; higher is rarer.

        BM25's inverse document frequency. A word that no page contains has the highest.
        """

    def holding(self, alternatives: Sequence[Sequence[str]], *, where: Filter = MATCH_ALL) -> list[str]:
        """The ids of all records, in path order, whose text has every token of one of the alternatives.

        Tokens are those of `text.exact`, and no text is read. Without alternatives, or if one has no token, all records
        that match `where`. Records of weight 0 are excluded.
        """

    def by_rarity(self, terms: Sequence[str], *, top_k: int) -> list[TermHit]:
        """At most `top_k` records that contain any of the terms, by the sum of term weights; equals by rising id.

        A term weighs log(1 + N/df): df of N records contain it, in any field. Forms are those of `index_words`.
        """

    def evidence(self, text: str) -> WordEvidence:
        """Evidence of the best page for a query; stop words count only if there are no other words.

        A word counts by the first of these rules that applies:
        - The page contains it in any form.
        - It is the last word, has three letters or more, and is a prefix of a word on the page.
        - The page contains all its parts.
        - It has six letters or more and is a likely typo of a word on the page.
        - The page contains some of its four-letter parts; the word counts by their share.

        A single letter counts only if the query has nothing longer.
        """


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

    def facet_labels(self) -> Collection[str]:
        """The facets of all pages, as `PageFacts.facets`, each once."""

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
