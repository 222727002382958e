"""Stores that break their promises: one finds nothing, one takes and finds everything, one answers as yesterday."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from contract.mutants import Greedy
from memory_store.store import MemoryReader, MemoryStore, _Scope

from searchsocket.errors import BadVectors
from searchsocket.stores.base.vector_store import Health, PublishInfo
from searchsocket.testing.store.samples import INFO
from searchsocket.types import Generation, Hit, Record, Scope, Vector, Vectors


class Mute:
    """Passes all on, and keeps what comes back."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        result = getattr(self._inner, name)
        return (lambda *arguments, **options: type(result(*arguments, **options))()) if callable(result) else result


class NothingStore(MemoryStore):
    def reader(self, scope: Scope) -> Any:
        inner = super().reader(scope)
        empty = replace(inner.generation, records=0, pages=0, digest="")
        return MemoryReader(empty, *map(Mute, (inner.catalogue, inner.words, inner.vectors)))  # type: ignore[arg-type]

    def list_scopes(self) -> list[Generation]:
        return []

    def fingerprints(self, scope: Scope) -> Iterator[tuple[str, str]]:
        return iter(())

    def body_digests(self, scope: Scope) -> Iterator[tuple[str, str]]:
        return iter(())

    def verify(self, scope: Scope) -> list[str]:
        return ["nothing is there"]


class AnyVectors(Greedy):
    def nearest(self, vector: Vector, **_: Any) -> list[Hit]:
        try:
            result: list[Hit] = self.__getattr__("nearest")(vector, top_k=0)
        except BadVectors:
            result = []
        return result


class AnyWords(Greedy):
    def search(self, text: str, **_: Any) -> list[Hit]:
        return [Hit(id_, 1.0) for id_ in self._inner._ids]


class EverythingStore(MemoryStore):
    """Accepts bad records, answers from staged changes, and deletes nothing."""

    def upsert(self, records: Sequence[Record], vectors: Vectors, scope: Scope) -> None:
        self._of(scope).upserts |= {one.id: (one, vector) for one, vector in zip(records, vectors, strict=False)}

    def delete_by_ids(self, ids: Sequence[str], scope: Scope) -> None: ...

    def delete_scope(self, scope: Scope) -> None: ...

    def discard(self, scope: Scope) -> None: ...

    def copy_from_scope(self, records: Any, origin: Scope, scope: Scope) -> list[str]:
        return [record.id for record in records]

    def publish(self, scope: Scope, info: PublishInfo, **_: Any) -> Generation:
        return replace(super().publish(scope, info), name="another one")

    def open_reader(self, scope: Scope) -> MemoryReader | None:
        staged = self._of(scope)
        if not staged.kept and staged.upserts:
            apart = MemoryStore("shop")
            apart._of(scope).upserts |= staged.upserts
            apart.publish(scope, INFO)
            staged.kept.append(apart.reader(scope))
        return super().open_reader(scope)

    def reader(self, scope: Scope) -> Any:
        inner = super().reader(scope)
        parts = (Greedy(inner.catalogue), AnyWords(inner.words), AnyVectors(inner.vectors))
        return MemoryReader(inner.generation, *parts)  # type: ignore[arg-type]

    def reader_of(self, scope: Scope, generation: str) -> Any:
        return self.reader(scope)

    def rollback(self, scope: Scope) -> Generation:
        return self._of(scope).kept[-1].generation

    def health(self) -> Health:
        return Health(ok=False)

    def _of(self, scope: Scope) -> _Scope:
        return self._scopes.setdefault(scope, _Scope())


class YesterdayStore(MemoryStore):
    """Switches to a published generation only at the next publish."""

    def open_reader(self, scope: Scope) -> MemoryReader | None:
        readers = self._of(scope).kept
        return readers[0] if readers else None

    def publish(self, scope: Scope, info: PublishInfo, **options: Any) -> Generation:
        before = self.open_reader(scope)
        generation = super().publish(scope, info, **options)
        return before.generation if before else generation
