"""Vectors as a remote engine keeps them: rows with first and last generation, and queries that filter by these."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from searchsocket.errors import InvalidRequest
from searchsocket.stores.base import VectorLimits, VectorRow, check_vectors
from searchsocket.stores.base.cosines import cosines
from searchsocket.stores.base.labels import groups_of
from searchsocket.stores.base.vectors import canonical
from searchsocket.types import MATCH_ALL, Filter, Generation, Hit, Scope, Vector, Vectors

_NEVER = "~"  # behind the name of every generation


@dataclass(slots=True)
class _Kept:
    row: VectorRow
    born: str  # the first generation that has it
    died: str = _NEVER  # the first one that has not


class MemoryVectors:
    """Implements `VectorIndex`."""

    def __init__(self) -> None:
        self._kept: dict[Scope, list[_Kept]] = {}

    def stage(self, generation: Generation, rows: Iterable[VectorRow], gone: Iterable[str]) -> None:
        born = [_Kept(row, generation.name) for row in rows]
        dead = {kept.row.id for kept in born} | set(gone)
        held = self._kept.setdefault(_scope(generation), [])
        for kept in held:
            if kept.died == _NEVER and kept.row.id in dead:
                kept.died = generation.name
        held += born

    def seal(self, generation: Generation) -> None:
        """See `VectorIndex.seal`: what is written here is seen at once."""

    def open(self, generation: Generation) -> "MemoryVectorSnapshot":
        return MemoryVectorSnapshot(self._kept.get(_scope(generation), []), generation.name)

    def retain(self, scope: Scope, generations: Collection[Generation]) -> None:
        names = [generation.name for generation in generations]
        newest = max(names, default="")
        kept = [each for each in self._kept.pop(scope, []) if any(each.born <= name < each.died for name in names)]
        self._kept[scope] = [_Kept(each.row, each.born, each.died if each.died <= newest else _NEVER) for each in kept]


class MemoryVectorSnapshot:
    """Implements `VectorSnapshot`."""

    limits = VectorLimits()

    def __init__(self, kept: Sequence[_Kept], generation: str) -> None:
        self._kept = kept
        self._generation = generation

    def nearest(self, vector: Vector, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        where = canonical(where)
        rows = [row for row in self._rows() if matches(row, where)]
        hits = map(Hit, [row.id for row in rows], self._cosines(vector, rows))
        return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:top_k]

    def similarities(self, vector: Vector, ids: Sequence[str]) -> list[float]:
        return self._cosines(vector, self._named(ids))

    def vectors_of(self, ids: Sequence[str]) -> Vectors:
        rows = self._named(ids)
        return np.stack([row.vector for row in rows]) if rows else np.empty((0, self._dimensions()), np.float32)

    def _rows(self) -> list[VectorRow]:
        return [kept.row for kept in self._kept if kept.born <= self._generation < kept.died]

    def _named(self, ids: Sequence[str]) -> list[VectorRow]:
        by_id = {row.id: row for row in self._rows()}
        if unknown := [id_ for id_ in ids if id_ not in by_id]:
            raise InvalidRequest(f"no record {unknown[0][:200]!r} in this index")
        return [by_id[id_] for id_ in ids]

    def _dimensions(self) -> int:
        return next((len(row.vector) for row in self._rows()), 0)

    def _cosines(self, vector: Vector, rows: Sequence[VectorRow]) -> list[float]:
        check_vectors(vector[np.newaxis], 1, self._dimensions() or None)
        if not rows:
            return []
        return [float(score) for score in cosines(np.stack([row.vector for row in rows]), vector, np.arange(len(rows)))]


def matches(row: VectorRow, where: Filter) -> bool:
    """Whether a query with this filter, in its canonical spelling, may find a row."""
    is_below = not where.path_prefix or where.path_prefix in row.ancestors
    is_named = all(not set(group).isdisjoint(row.labels) for group in groups_of(where))
    return not row.is_hidden and is_below and is_named and set(where.tags) <= set(row.tags)


def _scope(generation: Generation) -> Scope:
    return Scope(generation.project_id, generation.scope)
