"""Indexes that break their promises: one finds nothing, one everything, one what was there yesterday."""

from dataclasses import replace
from typing import Any

from memory_store.vectors import MemoryVectors, MemoryVectorSnapshot

from searchsocket.stores.base.vectors import Written, whenever
from searchsocket.types import MATCH_ALL, Generation, Scope


class Greedy:
    """Passes all on, but for what would narrow it."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        result = getattr(self._inner, name)
        if not callable(result):
            return result

        def widened(*arguments: Any, **options: Any) -> Any:
            wide = {"top_k": 10_000, "where": MATCH_ALL}
            return result(*arguments, **{key: wide.get(key, value) for key, value in options.items()})

        return widened


class NothingVectors(MemoryVectors):
    def open(self, generation: Generation, written: Written = whenever) -> MemoryVectorSnapshot:
        return MemoryVectorSnapshot([], "")

    def _seen(self, generation: Generation) -> Any:
        self._check()
        return iter(())

    def registered(self) -> list[Any]:
        return []


class EverythingVectors(MemoryVectors):
    """Rows of all generations, and of all projects."""

    def open(self, generation: Generation, written: Written = whenever) -> Any:
        rows = [replace(item, born="", died="~") for item in self.place.rows.get(generation.scope, [])]
        return Greedy(MemoryVectorSnapshot(rows, "a"))

    def _seen(self, generation: Generation) -> Any:
        return iter([row for rows in self.place.rows.values() for row in rows])

    def _check(self) -> None:
        return None


class YesterdayVectors(MemoryVectors):
    """Answers each generation from the rows of its first seal, without later changes."""

    def retain(self, scope: Scope, generations: Any) -> None:
        self._claim()

    def open(self, generation: Generation, written: Written = whenever) -> MemoryVectorSnapshot:
        names = sorted({row.born for row in self.place.rows.get(generation.scope, [])})
        older = [name for name in names if name < generation.name]
        return MemoryVectorSnapshot(self.place.rows.get(generation.scope, []), (older or names or [""])[-1])

    def _seen(self, generation: Generation) -> Any:
        self._check()
        rows = self.place.rows.get(generation.scope, [])
        return (row for row in rows if row.born < generation.name <= row.died)
