"""Generations of scopes in memory: a dictionary of readers, and which of them is live."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np

from searchsocket.errors import (
    BadVectors,
    EmbeddingModelMismatch,
    NoGenerationBefore,
    ScopeNotIndexed,
    SearchSocketError,
)  # fmt: skip
from searchsocket.stores.base import (
    Answering,
    Gate,
    Health,
    OpenGeneration,
    PageBody,
    PublishInfo,
    VectorIndex,
    accept,
    check_records,
    check_vectors,
)  # fmt: skip
from searchsocket.stores.base.naming import check_scope, describe
from searchsocket.stores.base.vectors import row_of
from searchsocket.stores.memory.catalogue import MemoryCatalogue
from searchsocket.stores.memory.vectors import MemoryVectors
from searchsocket.stores.words.of_records import WordsOfRecords
from searchsocket.text.synonyms import NO_SYNONYMS, Synonyms
from searchsocket.types import Generation, Record, Scope, Vector, Vectors

MemoryReader = OpenGeneration[MemoryCatalogue]
Staged = tuple[Record, Vector]


@dataclass(slots=True)
class _Scope:
    kept: list[MemoryReader] = field(default_factory=list)  # the live generation last, the one before it first
    upserts: dict[str, Staged] = field(default_factory=dict)
    deletions: set[str] = field(default_factory=set)
    bodies: dict[str, PageBody] = field(default_factory=dict)


class MemoryStore:
    """Implements `VectorStore`; `vectors` may lie anywhere. For one thread that writes."""

    def __init__(
        self,
        project_id: str,
        vectors: VectorIndex | None = None,
        *,
        synonyms: Synonyms = NO_SYNONYMS,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._project_id = project_id
        self._vectors = vectors or MemoryVectors()
        self._synonyms = synonyms
        self._clock = clock
        self._scopes: dict[Scope, _Scope] = {}

    def upsert(self, records: Sequence[Record], vectors: Vectors, scope: Scope) -> None:
        check_records(records, scope, self._project_id)
        check_vectors(vectors, len(records))
        staged = self._of(scope)
        for record, vector in zip(records, vectors, strict=True):
            model_id, dimensions = next(((r.model_id, len(v)) for r, v in staged.upserts.values()), ("", 0))
            if dimensions and dimensions != len(vector):
                raise BadVectors(f"this run staged vectors of {dimensions} dimensions before, now of {len(vector)}")
            if dimensions and model_id != record.model_id:
                raise EmbeddingModelMismatch(scope.name, model_id, record.model_id)
            staged.upserts[record.id] = (record, vector.copy())
            staged.deletions.discard(record.id)

    def delete_by_ids(self, ids: Sequence[str], scope: Scope) -> None:
        staged = self._of(scope)
        staged.deletions.update(ids)
        for id_ in ids:
            staged.upserts.pop(id_, None)

    def put_bodies(self, bodies: Sequence[PageBody], scope: Scope) -> None:
        self._of(scope).bodies.update({body.url: body for body in bodies})

    def discard(self, scope: Scope) -> None:
        self._scopes[scope] = _Scope(self._of(scope).kept)

    def publish(self, scope: Scope, info: PublishInfo, *, gate: Gate = accept) -> Generation:
        staged = self._of(scope)
        live = staged.kept[-1] if staged.kept else None
        records = dict(live.catalogue.by_id) if live else {}
        gone = staged.deletions & records.keys()
        new = {id_: one for id_, one in staged.upserts.items() if not (live and _is_live(live, *one))}
        records = {id_: record for id_, record in records.items() if id_ not in gone}
        _check_model(scope, info, [one for one in records if one not in staged.upserts], live, new.values())
        records |= {id_: record for id_, (record, _) in new.items()}
        urls = {record.page.url for record in records.values()}
        held = live.catalogue.bodies if live else {}
        fresh = {u: b for u, b in staged.bodies.items() if not (u in held and held[u].digest == b.digest)}
        if live and not (gone or new or fresh or live.generation.model_id != info.model_id):
            self.discard(scope)
            return live.generation
        bodies = {url: body for url, body in {**held, **fresh}.items() if url in urls}
        generation = describe(
            info,
            scope,
            records.values(),
            bodies.values(),
            now=self._clock(),
            after=live.generation.name if live else "",
        )
        self._vectors.retain(scope, [reader.generation.name for reader in staged.kept])
        self._vectors.stage(scope, generation.name, (row_of(*new[id_]) for id_ in new), gone)
        self._vectors.seal(scope, generation.name)
        catalogue = MemoryCatalogue(scope.name, records, bodies)
        words = WordsOfRecords(records.values(), self._synonyms)
        reader = OpenGeneration(generation, catalogue, words, self._vectors.open(scope, generation.name))
        try:
            gate(reader)
        except BaseException:
            self._vectors.retain(scope, [reader.generation.name for reader in staged.kept])
            raise
        self._scopes[scope] = _Scope([*staged.kept[-1:], reader])
        return generation

    def rollback(self, scope: Scope) -> Generation:
        kept = self._of(scope).kept
        if len(kept) < 2:
            raise NoGenerationBefore(scope.name) if kept else ScopeNotIndexed(scope.name)
        kept.pop()
        return kept[-1].generation

    def delete_scope(self, scope: Scope) -> None:
        self._of(scope)
        self._vectors.retain(scope, [])
        del self._scopes[scope]

    def generation(self, scope: Scope) -> Generation | None:
        held = self.held(scope)
        return held.generation if held else None

    def list_scopes(self) -> list[Generation]:
        scopes = sorted(self._scopes, key=lambda scope: scope.name)
        return [self._scopes[scope].kept[-1].generation for scope in scopes if self._scopes[scope].kept]

    def fingerprints(self, scope: Scope) -> Iterator[tuple[str, str]]:
        held = self.held(scope)
        yield from sorted((one.id, one.record_hash) for one in held.catalogue.by_id.values()) if held else ()

    def body_digests(self, scope: Scope) -> Iterator[tuple[str, str]]:
        held = self.held(scope)
        yield from sorted((body.url, body.digest) for body in held.catalogue.bodies.values()) if held else ()

    def held(self, scope: Scope) -> MemoryReader | None:
        kept = self._of(scope).kept
        return kept[-1] if kept else None

    def reader(self, scope: Scope) -> MemoryReader:
        if reader := self.held(scope):
            return reader
        raise ScopeNotIndexed(scope.name)

    def answering(self, scope: Scope) -> Answering:
        return Answering(self.reader(scope).generation)

    def refresh(self) -> list[SearchSocketError]:
        return []

    def verify(self, scope: Scope) -> list[str]:
        return []

    def repair(self, scope: Scope) -> list[str]:
        return []

    def health(self) -> Health:
        return Health(ok=True)

    def _of(self, scope: Scope) -> _Scope:
        check_scope(scope, self._project_id)
        return self._scopes.setdefault(scope, _Scope())


def _is_live(live: MemoryReader, record: Record, vector: Vector) -> bool:
    known = live.catalogue.by_id.get(record.id)
    if known is None or (known.record_hash, known.model_id) != (record.record_hash, record.model_id):
        return False
    return np.array_equal(live.vectors.vectors_of([record.id])[0], vector)


def _check_model(
    scope: Scope, info: PublishInfo, staying: Collection[str], live: MemoryReader | None, new: Iterable[Staged]
) -> None:
    for record, vector in new:
        if record.model_id != info.model_id:
            raise EmbeddingModelMismatch(scope.name, record.model_id, info.model_id)
        if len(vector) != info.dimensions:
            raise BadVectors(f"staged vectors have {len(vector)} dimensions, the model has {info.dimensions}")
    if live and staying and (live.generation.model_id, live.generation.dimensions) != (info.model_id, info.dimensions):
        raise EmbeddingModelMismatch(scope.name, live.generation.model_id, info.model_id)
