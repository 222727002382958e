"""Store interface, from the reader's side.

A store keeps generations of scopes. Every store, in any database, promises:
- a query sees one generation, whole;
- a run that dies at any point is invisible;
- a new generation can be read before the switch to it;
- rollback is a switch, and writes nothing again;
- writes are proportional to the change.

`IndexReader` combines three parts of an open generation, each with its own interface: records and page texts, words
(always ours, in `stores/words`) and vectors (`VectorIndex`, possibly on another machine). `VectorStore` writes,
switches and opens generations.

Names of generations sort by age. A remote engine stores for each row the first generation that contains it and the
first that does not (`born`, `died`), and a query of generation G filters by `born <= G < died`: an edit writes a few
rows, and a rollback none. `tests/memory_store/vectors.py` implements it in a page of code.
"""

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, fields, replace
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from searchsocket.content.markdown.chunk_text import ChunkText
from searchsocket.errors import BadVectors, EmbeddingModelMismatch, InvalidScope, ProjectMismatch, SearchSocketError
from searchsocket.stores.base.labels import labels_of
from searchsocket.system.json_text import JsonObject
from searchsocket.text.storable import storable
from searchsocket.types import (
    EXACT,
    MATCH_ALL,
    Filter,
    Generation,
    Hit,
    Recall,
    Record,
    Renamed,
    Scope,
    Scores,
    Vector,
    Vectors,
    VersionFamily,
)
from searchsocket.web.urls.paths import ancestors, normalise_prefix
from searchsocket.web.versions.names import default_labels

if TYPE_CHECKING:
    from searchsocket.stores.words.pack_words import PackWords
    from searchsocket.text.synonyms import Forms

# Opened around the work on one list, by its name: `vector` or `keyword`.
Watch = Callable[[str], AbstractContextManager[object]]
# For each record id: the number of the generation that last wrote its row; `NOT_KEPT` = the record has no row.
Written = Callable[[Sequence[str]], Sequence[int]]
NOT_KEPT = 2**63 - 1
_COSINE_DIGITS = 7  # scores that differ only in later digits count as equal on every machine, and ids decide
_BLOCK_ROWS = 4096
UNIT_TOLERANCE = 1e-3  # float32 and a provider's own rounding stay far below it
Model = tuple[str, int]  # its id, and the dimensions of its vectors


@dataclass(frozen=True, slots=True)
class VectorRow:
    """Fields stored next to a vector for filters, small enough for any engine's metadata."""

    id: str
    vector: Vector
    ancestors: tuple[str, ...]  # path prefixes of the URL, from the root to the URL itself
    tags: tuple[str, ...]
    labels: tuple[str, ...]  # all other values that filters may use, see `stores.base.labels`
    is_hidden: bool  # stored but never returned, because the page has weight 0


def row_of(record: Record, vector: Vector) -> VectorRow:
    """Return the row of a record in a vector index."""
    page = record.page
    return VectorRow(
        id=record.id,
        vector=vector,
        ancestors=ancestors(page.url),
        tags=page.tags,
        labels=labels_of(record.chunk.kind, page.language, page.facets),
        is_hidden=page.weight <= 0,
    )


def canonical(where: Filter) -> Filter:
    """Return the filter in the spelling that indexes store."""
    if not where.path_prefix and not where.directories:
        return where
    directories = tuple(normalise_prefix(storable(directory)) for directory in where.directories)
    return replace(
        where,
        path_prefix=normalise_prefix(storable(where.path_prefix)),
        directories=directories if all(directories) else (),  # the root contains every page
    )


@dataclass(frozen=True, slots=True)
class VectorLimits:
    """Capabilities and limits of a vector index."""

    is_remote: bool = False  # queries call another machine
    max_top_k: int | None = None  # of `nearest`
    tolerance: float = 0.0  # largest difference between a number read and the number written
    index: str = EXACT  # kind and parameters by the settings, e.g. "hnsw m=16 ef_construction=200 ef=200"
    is_exact: bool = True  # False: the server may miss some of the nearest records, with any settings


def whenever(ids: Sequence[str]) -> Sequence[int]:
    """Accept every row that an index returns."""
    return [0] * len(ids)


class VectorSnapshot(Protocol):
    """The vectors of one generation, as a query sees them; safe to share between threads."""

    @property
    def limits(self) -> VectorLimits: ...

    def nearest(self, vector: Vector, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """Return at most `top_k` records that match `where`, by falling cosine; equal scores by rising id.

        Args:
            vector: Shape (dim,), float32, unit length.

        Raises:
            BadVectors: The vector has another shape, or is not of unit length.
            VectorBackendUnavailable: The backend could not be reached; safe to retry.
        """

    def similarities(self, vector: Vector, ids: Sequence[str]) -> list[float]:
        """Return the cosine of each record, in the order of `ids`: the scores of `nearest`.

        Raises:
            InvalidRequest: A record does not exist.
        """

    def vectors_of(self, ids: Sequence[str]) -> Vectors:
        """Return a copy of the vector of each record, shape (len(ids), dim), in the order of `ids`.

        Raises:
            RecordsMissing: Some records do not exist; the error names them.
        """


class VectorIndex(Protocol):
    """Stores the vectors of all generations of one project; it does not know which one is live."""

    def stage(self, generation: Generation, rows: Iterable[VectorRow], gone: Iterable[str]) -> None:
        """Write how a generation differs from the newest earlier one; readers of other generations do not see it.

        Args:
            generation: Its name sorts after all stored generations of the scope.
            rows: New rows, and new versions of existing ones.
            gone: Ids that the generation no longer has.
        """

    def seal(self, generation: Generation) -> None:
        """Return once everything staged is durable and visible to readers that open the generation.

        Raises:
            VectorBackendUnavailable: It did not become visible in time.
        """

    def open(self, generation: Generation, written: Written = ...) -> VectorSnapshot:
        """Open the vectors of a sealed generation.

        Args:
            written: Rows older than the last write of their record are ignored, since an engine may return them for a
                moment; so are rows of records that the generation lacks. By default all rows count.
        """

    def retain(self, scope: Scope, generations: Collection[Generation]) -> None:
        """Delete rows that none of these generations contains, including those staged by a run that died.

        Call it before `stage`, with the live generation as the newest, so that rows of a rolled-back generation do not
        reach the next one.
        """


def cosines(matrix: Vectors, vector: Vector, rows: NDArray[np.int64]) -> Scores:
    """Cosines of rows of a matrix in double precision, rounded, within [-1, 1]."""
    wide = vector.astype(np.float64)
    scores = np.empty(len(rows), np.float64)
    for i in range(0, len(rows), _BLOCK_ROWS):
        scores[i : i + _BLOCK_ROWS] = np.vecdot(matrix[rows[i : i + _BLOCK_ROWS]].astype(np.float64), wide)
    # `np.clip` takes twice as long; the sum leaves no negative zero.
    return np.minimum(np.maximum(scores.round(_COSINE_DIGITS), -1.0), 1.0) + 0.0


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


@dataclass(frozen=True, slots=True)
class PublishInfo:
    """Facts about a generation that only its publisher knows."""

    model_id: str
    dimensions: int
    published_at: str  # ISO 8601, UTC
    estimated_tokens: int = 0
    estimated_cost_usd: float = 0.0
    source_revision: str = ""
    branch: str = ""
    aliases: Mapping[str, str] = field(default_factory=dict)  # old URL of a page that moved -> its URL now
    versions: tuple[VersionFamily, ...] = ()  # of the site

    @classmethod
    def of(cls, generation: Generation) -> Self:
        """The facts with which a generation was published."""
        return cls(**{each.name: getattr(generation, each.name) for each in fields(cls)})

    def facts(self) -> JsonObject:
        """The fields that `Generation` copies from here."""
        return {each.name: getattr(self, each.name) for each in fields(self)}


class RecordRows(NamedTuple):
    """Records as a store stages them. No store is needed to make them, so another process can."""

    model_id: str
    content_hashes: Sequence[str]  # of each record
    rows: Sequence[tuple[object, ...]]
    words: "PackWords"  # of the records, in their order


@dataclass(frozen=True, slots=True)
class Health:
    ok: bool
    details: str = ""


@dataclass(frozen=True, slots=True)
class Answering:
    """The generation that queries of a scope are answered from."""

    generation: Generation
    trouble: SearchSocketError | None = None  # the reason if it is not the live one
    poll_age_s: float | None = None  # since the object store answered; None = none is followed


LIVE, PREVIOUS, CANDIDATE = "live", "previous", "candidate"  # generations by their role in the scope
# Called with the candidate before the switch. It raises to refuse; the generation stores the recall that it returns.
Gate = Callable[[IndexReader], Recall | None]


def accept(_: IndexReader) -> None:
    """The gate that accepts every candidate."""


class Publisher(Protocol):
    """Writer of a store. All changes are staged until `publish`, which is one atomic switch."""

    def upsert(self, records: Sequence[Record], vectors: Vectors, scope: Scope) -> None:
        """Stage records with their vectors (row i belongs to record i); same id replaces, the last call wins.

        Raises:
            BadVectors: A vector is zero, not finite, not of unit length or of another shape; nothing of the batch
                is staged.
            ProjectMismatch: A record, or the store, belongs to another project.
            InvalidScope: A record belongs to another scope.
        """

    def upsert_rows(self, rows: RecordRows, vectors: Vectors, scope: Scope) -> None:
        """`upsert` of records whose rows are made already.

        Raises:
            BadVectors, EmbeddingModelMismatch: As `upsert`.
        """

    def delete_by_ids(self, ids: Sequence[str], scope: Scope) -> None:
        """Stage deletions; unknown ids are no error."""

    def copy_from_scope(self, records: Sequence[Renamed], origin: Scope, scope: Scope) -> list[str]:
        """Stage copies of records of another scope's live generation under new names, with the texts of their pages.

        For a scope that has no published generation. Texts from `stage_bodies` replace the copied ones.

        Returns:
            The ids of the copied records; the caller upserts the others. Empty if the store cannot copy, or if the
            generation is damaged, missing, of another version, or contains other records.

        Raises:
            StateUnavailable: The store cannot be written.
        """

    def stage_bodies(self, bodies: Sequence[PageBody], scope: Scope) -> None:
        """Stage the texts of pages; same URL replaces, the last call wins.

        A text is published if its page has records, and deleted with the last one of them.
        """

    def discard(self, scope: Scope) -> None:
        """Delete all staged changes."""

    def publish(self, scope: Scope, info: PublishInfo, *, gate: Gate = accept) -> Generation:
        """Build a generation from the live one and the staged changes, verify it, pass it to `gate`, and switch to it.

        If the staged changes make no difference, and the vector index has the same parameters, the live generation
        stays and is returned.
        The previous generation is kept for `rollback`; older ones are removed when no reader uses them.

        Args:
            gate: Called with a reader of the new generation, which answers as it will after the switch. Its errors are
                passed on: the live generation stays, and the new one is deleted. After `CandidateRefused` the new one
                is kept as the scope's candidate, for `reader_of`, until the next call.

        Raises:
            IndexCorrupt: The live generation is damaged, or the built one failed verification; the live one stays.
            EmbeddingModelMismatch: Records of another model would stay beside those of `info.model_id`.
            StateUnavailable: The store cannot be written; the live generation stays.
        """

    def rollback(self, scope: Scope) -> Generation:
        """Switch back to the previous generation.

        Raises:
            ScopeNotIndexed: Nothing was published.
            NoGenerationBefore: Only the live generation is kept.
        """

    def delete_scope(self, scope: Scope) -> None:
        """Remove every generation of exactly this scope."""


class Catalogue(Protocol):
    """Live generations and their content."""

    def generation(self, scope: Scope) -> Generation | None:
        """The live generation, or None if nothing was published."""

    def list_scopes(self) -> list[Generation]:
        """The live generation of every scope of this project, by name."""

    def fingerprints(self, scope: Scope) -> Iterator[tuple[str, str]]:
        """(id, record_hash) of every live record, in rising order of id; streams."""

    def body_digests(self, scope: Scope) -> Iterator[tuple[str, str]]:
        """(url, digest) of the text of every live page that has one, by rising URL; streams.

        If `copy_from_scope` staged texts, these instead.
        """


class Readers(Protocol):
    """Opens live generations for queries."""

    def reader(self, scope: Scope) -> IndexReader:
        """A snapshot of the live generation; cheap if that did not change since the last call.

        If the live generation is damaged or cannot be read, the one that is open already, if any.

        Raises:
            ScopeNotIndexed: Nothing was published.
            IndexCorrupt, PermissionDenied: The live generation cannot be used, and no earlier one is open.
            VectorBackendUnavailable: The backend cannot be read.
        """

    def open_reader(self, scope: Scope) -> IndexReader | None:
        """The live generation if it is open already; opens nothing.

        Raises:
            VectorBackendUnavailable: The backend cannot be read.
        """

    def answering(self, scope: Scope) -> Answering:
        """Return the source of the answers of `reader`; opens nothing, and raises the same errors."""

    def refresh(self) -> list[SearchSocketError]:
        """Switch every open scope to its newest generation and close the old ones.

        A service calls this about once a minute.

        Returns:
            Errors of live generations that cannot be used.
        """


class VectorStore(Publisher, Catalogue, Readers, Protocol):
    """Store of the generations of scopes."""

    def reader_of(self, scope: Scope, generation: str) -> IndexReader:
        """A new snapshot of a kept generation, for comparisons; other queries never use it.

        Args:
            generation: Its name, or `LIVE`, `PREVIOUS` (the target of `rollback`) or `CANDIDATE` (refused by a gate).

        Raises:
            GenerationNotKept: No generation of that name is kept.
            IndexCorrupt, PermissionDenied, VectorBackendUnavailable: As `reader`.
        """

    def verify(self, scope: Scope) -> list[str]:
        """Read the live generation in full and return its damage; empty if it is intact or nothing is published."""

    def repair(self, scope: Scope) -> list[str]:
        """Take a damaged live generation out of service, so that a run can publish again.

        The previous generation becomes live if it is intact. Otherwise no generation is live, and the next run must
        publish all records.

        Returns:
            The damage; empty if there was none.
        """

    @property
    def remote_index(self) -> "VectorUpkeep | None":
        """The index on another machine that stores the vectors; None if the store does that itself."""

    def resync(self, scope: Scope, vectors: "RecordVectors") -> "ResyncReport":
        """Delete all remote rows of a scope and write those of its kept generations again; embeds nothing.

        If a vector of a kept generation is missing, nothing is changed. Queries are answered by words until it is done.

        Raises:
            IndexCorrupt: A kept generation is damaged; nothing was changed.
            VectorBackendUnavailable: The rows cannot be written; the next call starts over.
            ProjectMismatch: The remote index belongs to another project.
        """

    def health(self) -> Health:
        """Check that the backend can be read and written.

        Raises:
            PermissionDenied: This user may not read it.
        """


def check_vectors(vectors: Vectors, count: int, dimensions: int | None = None) -> None:
    """Refuse vectors that must never be stored or searched with (spec 11).

    Raises:
        BadVectors: Not float32 of shape (count, dimensions), or a row is zero, not finite or not of unit length.
    """
    if vectors.dtype != np.float32 or vectors.ndim != 2 or len(vectors) != count or vectors.shape[1] == 0:
        raise BadVectors(f"expected {count} float32 vectors, got an array of {vectors.dtype} {vectors.shape}")
    if dimensions is not None and vectors.shape[1] != dimensions:
        raise BadVectors(f"expected vectors of {dimensions} dimensions, got {vectors.shape[1]}")
    with np.errstate(over="ignore", invalid="ignore"):
        norms = np.sqrt(np.vecdot(vectors, vectors))
    bad = np.flatnonzero(~(np.abs(norms - 1.0) <= UNIT_TOLERANCE))  # a NaN compares as False
    if bad.size:
        raise BadVectors(f"vector {bad[0]} of {count} has length {norms[bad[0]]}, not 1 (bad rows: {bad.size})")


def check_records(records: Iterable[Record], scope: Scope, project_id: str) -> None:
    """Refuse records of another project or scope.

    Raises:
        ProjectMismatch, InvalidScope: There is one.
    """
    for record in records:
        if record.project_id != project_id:
            raise ProjectMismatch(f"record of project {record.project_id!r} in the index of {project_id!r}")
        if record.scope != scope.name:
            raise InvalidScope(f"record of scope {record.scope!r} in scope {scope.name!r}")


def index_digest(fingerprints: Iterable[tuple[str, str]]) -> str:
    """Digest of (id, record_hash) pairs in rising order of id: equal digests mean equal indexes."""
    digest = hashlib.sha256()
    lines = (f"{record_id}\0{record_hash}\n" for record_id, record_hash in fingerprints)
    while block := "".join(islice(lines, 4096)):
        digest.update(block.encode())
    return digest.hexdigest()


def model_id_of(records: Sequence[Record]) -> str:
    """The one model of some records; "" of none.

    Raises:
        EmbeddingModelMismatch: There are two.
    """
    model_id = records[0].model_id if records else ""
    for record in records:
        if record.model_id != model_id:
            raise EmbeddingModelMismatch(record.scope, model_id, record.model_id)
    return model_id


def check_batch(scope_name: str, model: Model, first: Model | None) -> None:
    """Refuse a batch whose model is not that of the run's first batch.

    Args:
        first: The model of the first batch; None: this is it.

    Raises:
        BadVectors, EmbeddingModelMismatch: There are two.
    """
    if first and model[1] != first[1]:
        raise BadVectors(f"this run staged vectors of {first[1]} dimensions, then of {model[1]}")
    if first and model[0] != first[0]:
        raise EmbeddingModelMismatch(scope_name, first[0], model[0])


def check_model(
    scope_name: str, info: PublishInfo, staged: Model | None, live: Generation | None, *, stays: bool
) -> None:
    """Refuse to publish vectors of two models beside each other.

    Args:
        staged: The model of the staged vectors; None: none are staged.
        stays: True if any record of the live generation stays.

    Raises:
        EmbeddingModelMismatch, BadVectors: The staged or the staying vectors do not fit `info`.
    """
    if staged and staged[0] != info.model_id:
        raise EmbeddingModelMismatch(scope_name, staged[0], info.model_id)
    if staged and staged[1] != info.dimensions:
        raise BadVectors(f"staged vectors have {staged[1]} dimensions, the model has {info.dimensions}")
    if live and stays and (live.model_id, live.dimensions) != (info.model_id, info.dimensions):
        raise EmbeddingModelMismatch(scope_name, live.model_id, info.model_id)


@dataclass(frozen=True, slots=True)
class RegisteredScope:
    """Summary of one scope, stored on the other machine (spec 18)."""

    scope: str
    project_id: str
    model_id: str
    dimensions: int
    generations: tuple[str, ...]  # those with rows, in rising order
    indexed_at: str  # when the newest of them was published; ISO 8601, UTC
    records: int  # of the newest

    @staticmethod
    def of(generations: Sequence[Generation]) -> "RegisteredScope":
        """The summary of at least one generation, all of one scope."""
        newest = max(generations, key=lambda generation: generation.name)
        return RegisteredScope(
            scope=newest.scope,
            project_id=newest.project_id,
            model_id=newest.model_id,
            dimensions=newest.dimensions,
            generations=tuple(sorted({generation.name for generation in generations})),
            indexed_at=newest.published_at,
            records=newest.records,
        )

    def joined(self, other: "RegisteredScope") -> "RegisteredScope":
        """Both summaries of one scope as one, with the fields of the newer one."""
        newest = max(self, other, key=lambda each: each.generations[-1])
        return replace(newest, generations=tuple(sorted({*self.generations, *other.generations})))


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem of a vector index on another machine, and its fix."""

    problem: str
    fix: str


class RecordVectors(Protocol):
    """Vectors of records of one generation without a call to a provider: from a cache, or a model on this machine.

    Both methods take at least one record.
    """

    def missing(self, records: Sequence[Record]) -> int:
        """The number of these records that have no vector."""

    def get(self, records: Sequence[Record]) -> Vectors:
        """The vector of each record, in their order.

        Raises:
            StateUnavailable: A vector is missing.
        """


@dataclass(frozen=True, slots=True)
class ResyncReport:
    """Result of `VectorStore.resync`."""

    rows: int = 0  # written
    missing_vectors: int = 0  # records without a vector; if there are any, nothing was changed


@runtime_checkable
class VectorUpkeep(Protocol):
    """Additional methods of a `VectorIndex` on another machine, for maintenance.

    An index belongs to one project. All methods except `examine`, and all writes, raise:
        ProjectMismatch: The index belongs to another project; nothing was changed.
        VectorBackendUnavailable: The other machine cannot be reached.
    """

    def registered(self) -> list[RegisteredScope]:
        """Every scope that has rows, by name; empty if nothing was ever written."""

    def count(self, generation: Generation) -> int:
        """The number of rows of a generation; 0 if its collection is gone."""

    def examine(self) -> list[Finding]:
        """Problems other than missing rows: a collection that is gone, has another schema or another owner.

        Raises:
            VectorBackendUnavailable: The other machine cannot be reached.
        """

    def drop(self) -> list[str]:
        """Delete everything of this project and release its name; returns the deleted parts."""


class RemoteIndex(VectorIndex, VectorUpkeep, Protocol):
    """A vector index on another machine, with its maintenance."""
