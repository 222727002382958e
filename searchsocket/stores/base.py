"""The seam where records, vectors and words are kept and queried."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from searchsocket.types import MATCH_ALL, Filter, Generation, Hit, Record, Scope, Vector, Vectors


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


class IndexReader(Protocol):
    """A snapshot of a scope's live generation: every call on one reader answers from the same one."""

    generation: Generation

    def query(self, vector: Vector, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """At most `top_k` records that match `where`, by falling cosine; equal scores by rising id."""

    def keyword_query(self, text: str, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """At most `top_k` records that hold words of `text` and match `where`, best first; equals by rising id."""

    def similarities(self, vector: Vector, ids: Sequence[str]) -> list[float]:
        """Cosine of each named record, in the order of `ids`."""

    def records(self, ids: Sequence[str]) -> list[Record]:
        """The named records, in the order of `ids`."""

    def page_records(self, url: str) -> list[Record]:
        """All records of one page, by ordinal; empty when there is no such page."""


class VectorStore(Protocol):
    """Keeps generations of scopes. Writes are staged until `publish`, which is one atomic switch."""

    def upsert(self, records: Sequence[Record], vectors: Vectors, scope: Scope) -> None:
        """Stage records with their vectors (row i belongs to record i); same id replaces.

        Raises:
            BadVectors: A vector is zero, not finite, or of another shape; nothing of the batch is staged.
        """

    def delete_by_ids(self, ids: Sequence[str], scope: Scope) -> None:
        """Stage deletions; unknown ids are no error."""

    def publish(self, scope: Scope, info: PublishInfo) -> Generation:
        """Build a generation from the live one and what is staged, verify it, and switch to it.

        The previous generation is kept for `rollback`; older ones are removed when no reader holds them.

        Raises:
            IndexCorrupt: The built generation failed verification; the live one stays.
        """

    def discard(self, scope: Scope) -> None:
        """Drop what is staged."""

    def rollback(self, scope: Scope) -> Generation:
        """Switch back to the previous generation.

        Raises:
            ScopeNotIndexed: There is no previous generation.
        """

    def generation(self, scope: Scope) -> Generation | None:
        """The live generation, or None when nothing was published."""

    def fingerprints(self, scope: Scope) -> Iterator[tuple[str, str]]:
        """(id, record_hash) of every live record, in rising order of id; streams."""

    def reader(self, scope: Scope) -> IndexReader:
        """A snapshot of the live generation; cheap when that did not change since the last call.

        Raises:
            ScopeNotIndexed: Nothing was published.
            VectorBackendUnavailable: The backend cannot be read.
        """

    def delete_scope(self, scope: Scope) -> None:
        """Remove every generation of exactly this scope."""

    def list_scopes(self) -> list[Generation]:
        """The live generation of every scope of this project, by name."""

    def health(self) -> Health:
        """Whether the backend can be read and written."""
