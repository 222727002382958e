"""Generations of scopes in memory: a list of readers a scope, the last of which is live."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np

from memory_store.catalogue import MemoryCatalogue
from memory_store.vectors import MemoryVectors
from memory_store.words import WordsOfRecords
from searchsocket.errors import (
    CandidateRefused,
    GenerationNotKept,
    NoGenerationBefore,
    ProjectMismatch,
    ScopeNotIndexed,
    SearchSocketError,
)
from searchsocket.stores.base.index_reader import Join, PageBody
from searchsocket.stores.base.naming import check_scope_name, generation_name, generation_stamp
from searchsocket.stores.base.vector_store import (
    CANDIDATE,
    LIVE,
    PREVIOUS,
    Answering,
    Gate,
    Health,
    Model,
    PublishInfo,
    accept,
    check_batch,
    check_model,
    check_records,
    index_digest,
    model_id_of,
)
from searchsocket.stores.base.vectors import RecordVectors, ResyncReport, VectorSnapshot, check_vectors, row_of
from searchsocket.stores.local.build.build import MAX_SAMPLED, spread_of
from searchsocket.types import Generation, Record, Renamed, Scope, Spread, Vector, Vectors


@dataclass(frozen=True, slots=True)
class MemoryReader:
    """Implements `IndexReader`; its parts are joined by id."""

    generation: Generation
    catalogue: MemoryCatalogue
    words: WordsOfRecords
    vectors: VectorSnapshot
    join: Join | None = None


@dataclass(slots=True)
class _Scope:
    kept: list[MemoryReader] = field(default_factory=list)  # the live generation last, the one before it first
    refused: MemoryReader | None = None
    model: Model | None = None  # of what is staged
    upserts: dict[str, tuple[Record, Vector]] = field(default_factory=dict)
    deletions: set[str] = field(default_factory=set)
    bodies: dict[str, PageBody] = field(default_factory=dict)


class MemoryStore:
    """Implements `VectorStore`, for one thread that writes."""

    def __init__(self, project_id: str, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._project_id = project_id
        self._vectors = MemoryVectors()
        self._clock = clock
        self._scopes: dict[Scope, _Scope] = {}

    def upsert(self, records: Sequence[Record], vectors: Vectors, scope: Scope) -> None:
        check_records(records, scope, self._project_id)
        check_vectors(vectors, len(records))
        staged = self._of(scope)
        if records:
            model = (model_id_of(records), vectors.shape[1])
            check_batch(scope.name, model, staged.model)
            staged.model = model
        staged.upserts |= {record.id: (record, vector.copy()) for record, vector in zip(records, vectors, strict=True)}
        staged.deletions -= {record.id for record in records}

    def delete_by_ids(self, ids: Sequence[str], scope: Scope) -> None:
        staged = self._of(scope)
        staged.deletions.update(ids)
        for id_ in ids:
            staged.upserts.pop(id_, None)

    def copy_from_scope(self, records: Sequence[Renamed], origin: Scope, scope: Scope) -> list[str]:
        return []

    def stage_bodies(self, bodies: Sequence[PageBody], scope: Scope) -> None:
        self._of(scope).bodies.update({body.url: body for body in bodies})

    def discard(self, scope: Scope) -> None:
        self._scopes[scope] = _Scope(self._of(scope).kept, self._of(scope).refused)

    def publish(self, scope: Scope, info: PublishInfo, *, gate: Gate = accept) -> Generation:
        staged, live = self._of(scope), self.open_reader(scope)
        old = live.catalogue.by_id if live else {}
        contents = live.catalogue.bodies if live else {}
        deleted_ids = staged.deletions & old.keys()
        new = {id_: one for id_, one in staged.upserts.items() if not (live and _is_live(live, *one))}
        stays = bool(old.keys() - deleted_ids - staged.upserts.keys())
        check_model(scope.name, info, staged.model if new else None, live.generation if live else None, stays=stays)
        fresh = {
            u: body for u, body in staged.bodies.items() if not (u in contents and contents[u].digest == body.digest)
        }
        staged.refused = None
        stays = (info.model_id, info.versions)
        if live and not (deleted_ids or new or fresh or (live.generation.model_id, live.generation.versions) != stays):
            self.discard(scope)
            return live.generation
        records = {id_: one for id_, one in old.items() if id_ not in deleted_ids} | {
            id_: one for id_, (one, _) in new.items()
        }
        urls = {record.page.url for record in records.values()}
        bodies = {url: body for url, body in {**contents, **fresh}.items() if url in urls}
        vectors = np.array(
            [new[id_][1] if id_ in new else live.vectors.vectors_of([id_])[0] for id_ in sorted(records)][:MAX_SAMPLED]
        )
        generation = self._described(scope, info, records.values(), bodies.values(), spread_of(vectors))
        generations = [reader.generation for reader in staged.kept]
        self._vectors.retain(scope, generations)
        self._vectors.stage(generation, (row_of(*item) for item in new.values()), deleted_ids)
        self._vectors.seal(generation)
        catalogue, words = MemoryCatalogue(scope.name, records, bodies), WordsOfRecords(records.values())
        reader = MemoryReader(generation, catalogue, words, self._vectors.open(generation))
        try:
            gate(reader)
        except CandidateRefused:
            staged.refused = reader
            raise
        except BaseException:
            self._vectors.retain(scope, generations)
            raise
        self._scopes[scope] = _Scope([*staged.kept[-1:], reader])
        return generation

    def rollback(self, scope: Scope) -> Generation:
        readers = self._of(scope).kept
        if len(readers) < 2:
            raise NoGenerationBefore(scope.name) if readers else ScopeNotIndexed(scope.name)
        readers.pop()
        return readers[-1].generation

    def delete_scope(self, scope: Scope) -> None:
        self._of(scope)
        self._vectors.retain(scope, [])
        del self._scopes[scope]

    def generation(self, scope: Scope) -> Generation | None:
        reader = self.open_reader(scope)
        return reader.generation if reader else None

    def list_scopes(self) -> list[Generation]:
        scopes = sorted(self._scopes, key=lambda scope: scope.name)
        return [self._scopes[scope].kept[-1].generation for scope in scopes if self._scopes[scope].kept]

    def fingerprints(self, scope: Scope) -> Iterator[tuple[str, str]]:
        reader = self.open_reader(scope)
        yield from (
            sorted((record.id, record.record_hash) for record in reader.catalogue.by_id.values()) if reader else ()
        )

    def record_hashes(self, scope: Scope) -> bytes:
        return b"".join(bytes.fromhex(record_hash) for _, record_hash in self.fingerprints(scope))

    def body_digests(self, scope: Scope) -> Iterator[tuple[str, str]]:
        reader = self.open_reader(scope)
        yield from sorted((body.url, body.digest) for body in reader.catalogue.bodies.values()) if reader else ()

    def open_reader(self, scope: Scope) -> MemoryReader | None:
        readers = self._of(scope).kept
        return readers[-1] if readers else None

    def reader(self, scope: Scope) -> MemoryReader:
        if reader := self.open_reader(scope):
            return reader
        raise ScopeNotIndexed(scope.name)

    def reader_of(self, scope: Scope, generation: str) -> MemoryReader:
        staged = self._of(scope)
        readers = dict(zip((LIVE, PREVIOUS), reversed(staged.kept), strict=False))
        readers |= {CANDIDATE: staged.refused} if staged.refused else {}
        readers |= {reader.generation.name: reader for reader in readers.values()}
        if generation not in readers:
            raise GenerationNotKept(scope.name, generation, list(readers))
        return readers[generation]

    def answering(self, scope: Scope) -> Answering:
        return Answering(self.reader(scope).generation)

    def refresh(self) -> list[SearchSocketError]:
        return []

    def verify(self, scope: Scope) -> list[str]:
        return []

    def repair(self, scope: Scope) -> list[str]:
        return []

    @property
    def remote_index(self) -> None:
        return None

    def resync(self, scope: Scope, vectors: RecordVectors) -> ResyncReport:
        return ResyncReport()

    def health(self) -> Health:
        return Health(ok=True)

    def _of(self, scope: Scope) -> _Scope:
        if scope.project_id != self._project_id:
            raise ProjectMismatch(f"scope {scope.id!r} asked of the index of project {self._project_id!r}")
        check_scope_name(scope.name)
        return self._scopes.setdefault(scope, _Scope())

    def _described(
        self,
        scope: Scope,
        info: PublishInfo,
        records: Iterable[Record],
        bodies: Iterable[PageBody],
        spread: Spread | None,
    ) -> Generation:
        prints = sorted((record.id, record.record_hash) for record in records)
        texts = sorted((body.url, body.digest) for body in bodies)
        pages = {(record.page.route_resolution, record.page.url) for record in records}
        digest, live = index_digest(prints), self.generation(scope)
        return Generation(
            name=generation_name(generation_stamp(self._clock(), live.name if live else ""), digest),
            scope=scope.name,
            project_id=scope.project_id,
            records=len(prints),
            pages=len({url for _, url in pages}),
            digest=digest,
            routes=dict(sorted(Counter(resolution for resolution, _ in pages).items())),
            bodies=len(texts),
            bodies_digest=index_digest(texts),
            spread=spread,
            **info.facts(),
        )


def _is_live(live: MemoryReader, record: Record, vector: Vector) -> bool:
    live_record = live.catalogue.by_id.get(record.id)
    if live_record is None or (live_record.record_hash, live_record.model_id) != (record.record_hash, record.model_id):
        return False
    return np.array_equal(live.vectors.vectors_of([record.id])[0], vector)
