"""Interface of a store, which writes, switches and opens generations, and its checks before it writes."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self

from searchsocket.errors import BadVectors, EmbeddingModelMismatch, InvalidScope, ProjectMismatch, SearchSocketError
from searchsocket.stores.base.index_reader import IndexReader, PageBody
from searchsocket.stores.base.vectors import RecordVectors, ResyncReport, VectorUpkeep
from searchsocket.system.batches import batches
from searchsocket.system.json_text import JsonObject
from searchsocket.types import Generation, Recall, Record, Renamed, Scope, Vectors, VersionFamily

if TYPE_CHECKING:
    from searchsocket.stores.words.pack_words import PackWords

Model = tuple[str, int]  # its id, and the dimensions of its vectors


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

    def record_hashes(self, scope: Scope) -> bytes:
        """The record hash of every live record, 32 bytes each, in any order; empty if nothing was published."""

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
    def remote_index(self) -> VectorUpkeep | None:
        """The index on another machine that stores the vectors; None if the store does that itself."""

    def resync(self, scope: Scope, vectors: RecordVectors) -> ResyncReport:
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
    for batch in batches(fingerprints, 4096):
        digest.update("".join([f"{record_id}\0{record_hash}\n" for record_id, record_hash in batch]).encode())
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
