"""Generations in tables of rows: a vector index over any database that implements `VectorTables`."""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict

import numpy as np

from searchsocket.errors import VectorBackendRefused
from searchsocket.stores.base.conditions import (
    NEVER,
    Among,
    Condition,
    alive_before,
    ended_after,
    matching,
    stored_text,
    visible_to,
    visible_to_none,
)
from searchsocket.stores.base.naming import generation_number
from searchsocket.stores.base.row_hits import RowHit, RowSnapshot
from searchsocket.stores.base.tables import ExaminedTables, TableRow, VectorTables
from searchsocket.stores.base.vectors import Finding, RegisteredScope, VectorRow, Written, whenever
from searchsocket.system.batches import batches
from searchsocket.text.hidden import storable
from searchsocket.types import EXACT, Filter, Generation, Scope, Vector

MAX_BATCH_ROWS = 500
_NO_SCOPE = ""  # of rows that describe a scope


class TableVectors:
    """Implements `VectorIndex` and `VectorUpkeep`.

    Every row carries its project, so projects that share a table never see each other's rows.
    """

    def __init__(self, tables: VectorTables, project_id: str) -> None:
        """Calls nothing yet."""
        self._tables = tables
        self._project_id = project_id

    def stage(self, generation: Generation, rows: Iterable[VectorRow], gone: Iterable[str]) -> None:
        """Write how a generation differs from the newest earlier one; readers of other generations do not see it."""
        self._tables.begin()
        self._tables.create(generation.dimensions)
        self._tables.seal()  # before the rows, because `seal` reads the table
        self._tables.begin()
        table, number = self._tables.table(generation.dimensions), generation_number(generation.name)
        own = self._of(generation.scope)
        is_first = not self._registered(generation.dimensions, generation.scope)  # so it ends no rows
        for ids in batches(() if is_first else gone, MAX_BATCH_ROWS):
            table.end([*own, *alive_before(number, ids)], number)
        for batch in batches(rows, MAX_BATCH_ROWS):
            if not is_first:
                table.end([*own, *alive_before(number, [row.id for row in batch])], number)
            new_rows = (table_row(self._project_id, generation, row) for row in batch)
            table.upsert(list({row.key: row for row in new_rows}.values()))

    def seal(self, generation: Generation) -> None:
        """Return once everything staged is durable and visible to readers that open the generation."""
        before = self._registered(generation.dimensions, generation.scope).get(generation.scope)
        new = RegisteredScope.of([generation])
        self._register(before.joined(new) if before else new)
        self._tables.seal()

    def open(self, generation: Generation, written: Written = whenever) -> RowSnapshot:
        """Open the vectors of a sealed generation."""
        rows = _VisibleRows(self._tables, generation, self._visible(generation))
        return RowSnapshot(rows, generation.dimensions, written)

    def retain(self, scope: Scope, generations: Collection[Generation]) -> None:
        """Delete rows that none of these generations contains, including those staged by a run that died."""
        own = self._of(scope.name)
        for dimensions in self._tables.dimensions():
            self._tables.begin()
            table = self._tables.table(dimensions)
            same_size = [each for each in generations if each.dimensions == dimensions]
            numbers = [generation_number(each.name) for each in same_size]
            if same_size:
                self._register(RegisteredScope.of(same_size))
                table.delete([*own, *visible_to_none(numbers)])
                table.end([*own, *ended_after(max(numbers))], NEVER)
            else:
                table.delete(own)
                table.delete(self._note_of(scope.name))
            self._tables.seal()

    def registered(self) -> list[RegisteredScope]:
        """Every scope that has rows, by name; empty if nothing was ever written."""
        scopes: dict[str, RegisteredScope] = {}
        for dimensions in self._tables.dimensions():
            for name, scope in self._registered(dimensions).items():
                scopes[name] = scopes[name].joined(scope) if name in scopes else scope
        return [scopes[name] for name in sorted(scopes)]

    def count(self, generation: Generation) -> int:
        """The number of rows of a generation; 0 if its collection is gone."""
        if generation.dimensions not in self._tables.dimensions():
            return 0
        return self._tables.table(generation.dimensions).count(self._visible(generation))

    def examine(self) -> list[Finding]:
        """Problems other than missing rows: a collection that is gone, has another schema or another owner."""
        try:
            self._tables.dimensions()
            return list(self._tables.problems()) if isinstance(self._tables, ExaminedTables) else []
        except VectorBackendRefused as error:
            return [Finding(str(error), "see the message above")]

    def drop(self) -> list[str]:
        """Delete everything of this project and release its name; returns the deleted parts."""
        dropped = []
        for dimensions in self._tables.dimensions():
            self._tables.begin()
            self._tables.table(dimensions).delete([self._own])
            self._tables.seal()
            if not self._tables.table(dimensions).count([]):
                self._tables.drop(dimensions)
            dropped.append(f"vectors of {dimensions} dimensions of project {self._project_id!r}")
        return dropped

    @property
    def _own(self) -> Condition:
        return Among("project", (storable(self._project_id),))

    def _of(self, scope_name: str) -> list[Condition]:
        return [self._own, Among("scope", (scope_name,))]

    def _visible(self, generation: Generation) -> list[Condition]:
        return [*self._of(generation.scope), *visible_to(generation_number(generation.name))]

    def _note_of(self, scope_name: str) -> list[Condition]:
        return [*self._of(_NO_SCOPE), Among("record", (scope_name,))]

    def _registered(self, dimensions: int, scope_name: str = "") -> dict[str, RegisteredScope]:
        """The descriptions of all scopes, or of one."""
        notes = self._tables.table(dimensions).rows(self._note_of(scope_name) if scope_name else self._of(_NO_SCOPE))
        return {row.id: _scope_of(row.note) for row in notes}

    def _register(self, scope: RegisteredScope) -> None:
        """Write the row that describes a scope; no generation contains it."""
        row = TableRow(
            key=_key(self._project_id, _NO_SCOPE, scope.scope, ""),
            vector=np.eye(1, scope.dimensions, dtype=np.float32)[0],
            project=storable(self._project_id),
            scope=_NO_SCOPE,
            record=scope.scope,
            born=0,
            died=0,
            hidden=1,
            directories=(),
            tags=(),
            labels=(),
            note=json.dumps(asdict(scope)),
        )
        self._tables.table(scope.dimensions).upsert([row])


def table_row(project_id: str, generation: Generation, row: VectorRow) -> TableRow:
    """The new row of a record in a generation."""
    return TableRow(
        key=_key(project_id, generation.scope, row.id, generation.name),
        vector=row.vector,
        project=storable(project_id),
        scope=generation.scope,
        record=storable(row.id),
        born=generation_number(generation.name),
        died=NEVER,
        hidden=int(row.is_hidden),
        directories=tuple(map(stored_text, row.ancestors)),
        tags=tuple(map(stored_text, row.tags)),
        labels=tuple(map(stored_text, row.labels)),
    )


class _VisibleRows:
    """Implements `GenerationRows`."""

    def __init__(self, tables: VectorTables, generation: Generation, visible: Sequence[Condition]) -> None:
        self.max_rows, self.tolerance = tables.max_rows, tables.tolerance
        self.index, self.is_exact = tables.index, tables.index == EXACT
        self._table = tables.table(generation.dimensions)
        self._visible = visible

    def nearest(self, vector: Vector, limit: int, where: Filter) -> Sequence[RowHit]:
        return self._table.nearest(vector, limit=limit, where=[*self._visible, *matching(where)])

    def named(self, ids: Sequence[str]) -> Sequence[RowHit]:
        return list(self._named(ids))

    def _named(self, ids: Sequence[str]) -> Iterator[RowHit]:
        for some in batches(ids, MAX_BATCH_ROWS):
            yield from self._table.rows([*self._visible, Among("record", tuple(map(storable, some)))])


def _key(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _scope_of(note: str) -> RegisteredScope:
    try:
        fields = json.loads(note)
        return RegisteredScope(**{**fields, "generations": tuple(fields["generations"])})
    except (ValueError, TypeError, KeyError) as error:
        raise VectorBackendRefused(
            "the description of a scope in the vector store is damaged; run `searchsocket clean --all --remote`, then "
            "index again"
        ) from error
