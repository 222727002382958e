"""The seam where records, vectors and words are kept and queried."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from searchsocket.errors import BadVectors, SearchSocketError
from searchsocket.markdown.chunk_text import ChunkText
from searchsocket.types import MATCH_ALL, Filter, Generation, Hit, Record, Scope, Scores, Vector, Vectors


@dataclass(frozen=True, slots=True)
class PublishInfo:
    """What the caller knows about the generation that it publishes."""

    model_id: str
    dimensions: int
    published_at: str  # ISO 8601, UTC
    estimated_tokens: int = 0
    estimated_cost_usd: float = 0.0
    source_revision: str = ""


@dataclass(frozen=True, slots=True)
class Health:
    ok: bool
    details: str = ""


@dataclass(frozen=True, slots=True)
class Answering:
    """The generation that queries of a scope are answered from."""

    generation: Generation
    trouble: SearchSocketError | None = None  # why it is not the live one


@dataclass(frozen=True, slots=True)
class WordEvidence:
    """How much of a query one page holds: the most that any page does, each number by itself."""

    share: float  # of its words, each weighed by how rare it is among pages, in [0, 1]
    count: int  # different words
    known: float  # share of its words that are there at all, on whatever pages, in [0, 1]; slips and parts do not count


@dataclass(frozen=True, slots=True)
class Facts:
    """What the order of results needs to know of some records, by column: place i belongs to record i."""

    url: Sequence[str]
    title: Sequence[str]
    anchor: Sequence[str]
    kind: Sequence[str]  # `ChunkKind`
    order: NDArray[np.integer]  # numbers: shape (n,); rises in path order, on a page by ordinal and then by id
    depth: NDArray[np.integer]
    incoming_links: NDArray[np.integer]
    weight: NDArray[np.float64]


# Opened around the work on one list, by its name: `vector` or `keyword`.
Watch = Callable[[str], AbstractContextManager[object]]


@dataclass(frozen=True, slots=True)
class Candidates:
    """Records that some list of a query found, in no order, by column: place i belongs to record i."""

    ids: Sequence[str]
    facts: Facts
    cosine: Scores  # of all
    bm25: Scores  # 0 for those that are not among the best by words
    page_bm25: Scores  # of the page; 0 for pages that are not among the best
    best_cosine: float  # of all records that match the filter; -1 where there are none


class Shown(NamedTuple):
    """A record as a person is shown it."""

    record: Record
    said: ChunkText


@dataclass(frozen=True, slots=True)
class PageBody:
    """The text of one page, as the generation that holds its records serves it."""

    url: str
    digest: str  # equal digests mean that the texts say the same
    text: str  # of its mirror file


class IndexReader(Protocol):
    """A snapshot of a scope's live generation: every call on one reader answers from the same one."""

    generation: Generation

    def query(self, vector: Vector, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """At most `top_k` records that match `where`, by falling cosine; equal scores by rising id."""

    def keyword_query(self, text: str, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """At most `top_k` records that hold words of `text` and match `where`, best first; equals by rising id."""

    def page_query(self, text: str, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """At most `top_k` pages whose whole text holds words of `text`, by URL, best first; equals in path order.

        A page is one document here, so its length counts, and words may stand far apart; phrases count as words.
        Path order is that of `urls.sort_key`.
        """

    def word_evidence(self, text: str) -> WordEvidence:
        """How much of a query the page says that says most of it; stop words count only where there is nothing else.

        A word counts when it is there in any of its forms; else, from three letters, when it is the last and begins one
        that is; else when all its parts are there; else, from six letters, when it is a likely slip of one that is. A
        letter alone counts only where there is nothing longer.
        """

    def candidates(
        self, vector: Vector, text: str, *, top_k: int, where: Filter = MATCH_ALL, watch: Watch = nullcontext
    ) -> Candidates:
        """All that `query` and `keyword_query` find, and what `page_query` finds of their pages, joined.

        Facts of all of them are compared, so these must cost far less than `records`: from memory, or from what came
        with the hits.
        """

    def similarities(self, vector: Vector, ids: Sequence[str]) -> list[float]:
        """Cosine of each named record, in the order of `ids`.

        Raises:
            InvalidRequest: There is no such record.
        """

    def vectors_of(self, ids: Sequence[str]) -> Vectors:
        """A copy of the vector of each named record, shape (len(ids), dim), in the order of `ids`.

        Raises:
            InvalidRequest: There is no such record.
        """

    def records(self, ids: Sequence[str]) -> list[Record]:
        """The named records, in the order of `ids`.

        Raises:
            InvalidRequest: There is no such record.
        """

    def shown(self, ids: Sequence[str]) -> list[Shown]:
        """The named records with their texts as a person reads them, in the order of `ids`.

        Raises:
            InvalidRequest: There is no such record.
        """

    def texts(self, ids: Sequence[str]) -> list[str]:
        """The `text` alone of the named records, in the order of `ids`: far less than `records`.

        Raises:
            InvalidRequest: There is no such record.
        """

    def page_records(self, url: str) -> list[Record]:
        """All records of one page, by ordinal; empty when there is no such page."""

    def page_body(self, url: str) -> str | None:
        """The text of one page; None when there is no such page.

        Raises:
            PageTextsMissing: The page has records, but was published without its text.
        """


class VectorStore(Protocol):
    """Keeps generations of scopes. Writes are staged until `publish`, which is one atomic switch."""

    def upsert(self, records: Sequence[Record], vectors: Vectors, scope: Scope) -> None:
        """Stage records with their vectors (row i belongs to record i); same id replaces, the last call wins.

        Raises:
            BadVectors: A vector is zero, not finite, not of unit length or of another shape; nothing of the batch
                is staged.
            ProjectMismatch: A record, or the place, belongs to another project.
            InvalidScope: A record belongs to another scope.
        """

    def delete_by_ids(self, ids: Sequence[str], scope: Scope) -> None:
        """Stage deletions; unknown ids are no error."""

    def put_bodies(self, bodies: Sequence[PageBody], scope: Scope) -> None:
        """Stage the texts of pages; same URL replaces, the last call wins.

        A text is published when its page has records, and goes with the last one of them.
        """

    def publish(
        self, scope: Scope, info: PublishInfo, *, before_switch: Callable[[], object] = lambda: None
    ) -> Generation:
        """Build a generation from the live one and what is staged, verify it, and switch to it.

        Where nothing that is staged differs from the live generation, that one stays and is returned.
        The previous generation is kept for `rollback`; older ones are removed when no reader holds them.

        Args:
            before_switch: Called when all is built; what it raises is passed on, and the live generation stays.

        Raises:
            IndexCorrupt: The live generation is damaged, or the built one failed verification; the live one stays.
            EmbeddingModelMismatch: Records of another model would stay beside those of `info.model_id`.
            StateUnavailable: The place cannot be written; the live generation stays.
        """

    def discard(self, scope: Scope) -> None:
        """Drop what is staged."""

    def rollback(self, scope: Scope) -> Generation:
        """Switch back to the previous generation.

        Raises:
            ScopeNotIndexed: Nothing was published.
            NoGenerationBefore: Only the live generation is kept.
        """

    def generation(self, scope: Scope) -> Generation | None:
        """The live generation, or None when nothing was published."""

    def fingerprints(self, scope: Scope) -> Iterator[tuple[str, str]]:
        """(id, record_hash) of every live record, in rising order of id; streams."""

    def body_digests(self, scope: Scope) -> Iterator[tuple[str, str]]:
        """(url, digest) of the text of every live page that has one, by rising URL; streams."""

    def reader(self, scope: Scope) -> IndexReader:
        """A snapshot of the live generation; cheap when that did not change since the last call.

        Where that is damaged or cannot be read, the one that was read before, if there is one.

        Raises:
            ScopeNotIndexed: Nothing was published.
            IndexCorrupt, PermissionDenied: The live generation cannot be used, and none is held.
            VectorBackendUnavailable: The backend cannot be read.
        """

    def answering(self, scope: Scope) -> Answering:
        """What `reader` would answer from; opens nothing, and raises what `reader` does."""

    def refresh(self) -> list[SearchSocketError]:
        """Turn to what was published meanwhile for every scope that is read, so that nothing old is held.

        For a service to call about once a minute.

        Returns:
            Why a live generation cannot be used.
        """

    def answers_at_once(self, scope: Scope) -> bool:
        """Whether a query of `scope` takes few milliseconds now, waits for nobody, and leaves other threads little.

        Such a query is better answered where it arrives than handed to a thread.
        """

    def delete_scope(self, scope: Scope) -> None:
        """Remove every generation of exactly this scope."""

    def list_scopes(self) -> list[Generation]:
        """The live generation of every scope of this project, by name."""

    def verify(self, scope: Scope) -> list[str]:
        """Read the live generation in full and name what is damaged; empty when all is well, or nothing published."""

    def repair(self, scope: Scope) -> list[str]:
        """Take a damaged live generation out of service, so that a run can publish again.

        The one before becomes live where that is whole, else none is and everything is to be published anew.

        Returns:
            What was damaged; empty when nothing was.
        """

    def health(self) -> Health:
        """Whether the backend can be read and written.

        Raises:
            PermissionDenied: This user may not look.
        """


UNIT_TOLERANCE = 1e-3  # float32 and a provider's own rounding stay far below it


def check_vectors(vectors: Vectors, count: int, dimensions: int | None = None) -> None:
    """Refuse what must never be stored or searched with (spec 11).

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


def index_digest(fingerprints: Iterable[tuple[str, str]]) -> str:
    """Digest of (id, record_hash) pairs in rising order of id: equal digests mean equal indexes."""
    digest = hashlib.sha256()
    lines = (f"{record_id}\0{record_hash}\n" for record_id, record_hash in fingerprints)
    while block := "".join(islice(lines, 4096)):
        digest.update(block.encode())
    return digest.hexdigest()
