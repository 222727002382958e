"""Vectors as a remote engine keeps them: rows with first and last generation, and queries that filter by these."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from searchsocket.errors import ProjectMismatch, RecordsMissing
from searchsocket.stores.base.labels import groups_of
from searchsocket.stores.base.naming import generation_number
from searchsocket.stores.base.vectors import (
    Finding,
    RegisteredScope,
    VectorLimits,
    VectorRow,
    Written,
    canonical,
    check_vectors,
    cosines,
    whenever,
)
from searchsocket.types import MATCH_ALL, Filter, Generation, Hit, Scope, Vector, Vectors

_NEVER = "~"  # behind the name of every generation


@dataclass(slots=True)
class _StoredRow:
    row: VectorRow
    born: str  # the first generation that has it
    died: str = _NEVER  # the first one that has not


@dataclass(slots=True)
class MemoryPlace:
    """Rows of all scopes, as a remote engine would store them."""

    owner: str = ""
    rows: dict[str, list[_StoredRow]] = field(default_factory=dict)  # by scope
    registered: dict[str, RegisteredScope] = field(default_factory=dict)


class MemoryVectors:
    """Implements `VectorIndex`."""

    def __init__(self, place: MemoryPlace | None = None, project_id: str = "shop") -> None:
        self.place = place or MemoryPlace()
        self._project_id = project_id

    def stage(self, generation: Generation, rows: Iterable[VectorRow], deleted_ids: Iterable[str]) -> None:
        self._claim()
        new = {row.id: _StoredRow(row, generation.name) for row in rows}
        ended = new.keys() | set(deleted_ids)
        rows_of_scope = self.place.rows.setdefault(generation.scope, [])
        for each in rows_of_scope:
            if each.born < generation.name and each.died == _NEVER and each.row.id in ended:
                each.died = generation.name
        rows_of_scope[:] = [item for item in rows_of_scope if item.born != generation.name or item.row.id not in new]
        rows_of_scope += new.values()

    def seal(self, generation: Generation) -> None:
        """See `VectorIndex.seal`: what is written here is seen at once."""
        self._claim()
        new, registration = RegisteredScope.of([generation]), self.place.registered.get(generation.scope)
        names = {*new.generations, *(registration.generations if registration else ())}
        self.place.registered[generation.scope] = replace(new, generations=tuple(sorted(names)))

    def open(self, generation: Generation, written: Written = whenever) -> "MemoryVectorSnapshot":
        return MemoryVectorSnapshot(self.place.rows.get(generation.scope, []), generation.name, written)

    def retain(self, scope: Scope, generations: Collection[Generation]) -> None:
        self._claim()
        names = [generation.name for generation in generations]
        newest = max(names, default="")
        rows = [
            item for item in self.place.rows.pop(scope.name, []) if any(item.born <= name < item.died for name in names)
        ]
        self.place.registered.pop(scope.name, None)
        if generations:
            self.place.registered[scope.name] = RegisteredScope.of(list(generations))
            self.place.rows[scope.name] = [
                _StoredRow(row.row, row.born, row.died if row.died <= newest else _NEVER) for row in rows
            ]

    def registered(self) -> list[RegisteredScope]:
        self._check()
        return [self.place.registered[scope] for scope in sorted(self.place.registered)]

    def count(self, generation: Generation) -> int:
        return len(list(self._seen(generation)))

    def examine(self) -> list[Finding]:
        try:
            self._check()
        except ProjectMismatch as error:
            return [Finding(str(error), "look for another place")]
        foreign = sorted(self.place.rows.keys() - self.place.registered.keys())
        return [Finding(f"rows of scope {scope!r}, which nobody registered", "clean it") for scope in foreign]

    def drop(self) -> list[str]:
        self._check()
        scope_names = sorted(self.place.rows)
        self.place.rows.clear()
        self.place.registered.clear()
        self.place.owner = ""
        return scope_names

    def _seen(self, generation: Generation) -> Iterator[_StoredRow]:
        self._check()
        rows = self.place.rows.get(generation.scope, [])
        return (row for row in rows if row.born <= generation.name < row.died)

    def _check(self) -> None:
        if self.place.owner not in ("", self._project_id):
            raise ProjectMismatch(f"this belongs to project {self.place.owner!r}, not to {self._project_id!r}")

    def _claim(self) -> None:
        self._check()
        self.place.owner = self._project_id


class MemoryVectorSnapshot:
    """Implements `VectorSnapshot`."""

    limits = VectorLimits()

    def __init__(self, stored_rows: Sequence[_StoredRow], generation: str, written: Written = whenever) -> None:
        self._written = written
        self._kept = stored_rows
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
        """One a record, the later one of two."""
        output = [row for row in self._kept if row.born <= self._generation < row.died]
        since = self._written([row.row.id for row in output])
        snapshot = [row for row, number in zip(output, since, strict=True) if generation_number(row.born) >= number]
        return list({row.row.id: row.row for row in sorted(snapshot, key=lambda row: row.born)}.values())

    def _named(self, ids: Sequence[str]) -> list[VectorRow]:
        by_id = {row.id: row for row in self._rows()}
        if unknown := [id_ for id_ in ids if id_ not in by_id]:
            raise RecordsMissing(unknown)
        return [by_id[id_] for id_ in ids]

    def _dimensions(self) -> int:
        return next((len(row.vector) for row in self._rows()), 0)

    def _cosines(self, vector: Vector, rows: Sequence[VectorRow]) -> list[float]:
        check_vectors(vector[np.newaxis], 1, self._dimensions() or None)
        if not rows:
            return []
        return [float(score) for score in cosines(np.stack([row.vector for row in rows]), vector, np.arange(len(rows)))]


def matches(row: VectorRow, where: Filter) -> bool:
    """Return True if a query with this filter, in its canonical spelling, may return a row."""
    is_below = not where.path_prefix or where.path_prefix in row.ancestors
    is_below = is_below and (not where.directories or not set(where.directories).isdisjoint(row.ancestors))
    is_named = all(not set(group).isdisjoint(row.labels) for group in groups_of(where))
    return not row.is_hidden and is_below and is_named and set(where.tags) <= set(row.tags)
