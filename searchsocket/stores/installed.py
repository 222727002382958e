"""Vector stores of other packages, by the entry points `searchsocket.stores`."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from searchsocket.errors import ConfigError, SearchSocketError, VectorBackendUnavailable
from searchsocket.project.settings.model import VectorSettings
from searchsocket.stores.base.conditions import Conditions
from searchsocket.stores.base.row_hits import RowHit
from searchsocket.stores.base.tables import TableRow, VectorTable, VectorTables
from searchsocket.system.plugins import find_plugin, make_plugin
from searchsocket.types import EXACT, Vector

GROUP = "searchsocket.stores"
T = TypeVar("T")


def make_installed(settings: VectorSettings, environ: Mapping[str, str]) -> VectorTables:
    """Create the tables of the store that `vector.provider` names.

    Raises:
        ConfigMissing: No installed package has it, or the store reports a missing setting.
        ConfigError: It cannot be loaded, or returns no tables.
    """
    name = settings.provider
    point = find_plugin(GROUP, name, "vector.provider", ", ".join(settings.providers()))
    tables = make_plugin(point, lambda point: point.load()(settings.options, environ), "the store")
    for part, kind in (("max_rows", int), ("tolerance", float)):
        if not isinstance(getattr(tables, part, None), kind):
            raise ConfigError(f"the store {name!r} must have {part}, of type {kind.__name__}")
    return _GuardedTables(name, tables)


class _GuardedTables:
    """Tables that turn failures into our errors: a run reports the failing store, and word search answers queries."""

    def __init__(self, name: str, tables: VectorTables) -> None:
        self.max_rows, self.tolerance = tables.max_rows, tables.tolerance
        self.index = str(getattr(tables, "index", EXACT))
        self._name = name
        self._tables = tables

    def dimensions(self) -> Sequence[int]:
        return _guarded(self._name, self._tables.dimensions)

    def create(self, dimensions: int) -> None:
        _guarded(self._name, lambda: self._tables.create(dimensions))

    def table(self, dimensions: int) -> VectorTable:
        return _GuardedTable(self._name, _guarded(self._name, lambda: self._tables.table(dimensions)))

    def begin(self) -> None:
        _guarded(self._name, self._tables.begin)

    def seal(self) -> None:
        _guarded(self._name, self._tables.seal)

    def drop(self, dimensions: int) -> None:
        _guarded(self._name, lambda: self._tables.drop(dimensions))


class _GuardedTable:
    def __init__(self, name: str, table: VectorTable) -> None:
        self._name = name
        self._table = table

    def upsert(self, rows: Sequence[TableRow]) -> None:
        _guarded(self._name, lambda: self._table.upsert(rows))

    def end(self, where: Conditions, died: int) -> None:
        _guarded(self._name, lambda: self._table.end(where, died))

    def delete(self, where: Conditions) -> None:
        _guarded(self._name, lambda: self._table.delete(where))

    def nearest(self, vector: Vector, *, limit: int, where: Conditions) -> Sequence[RowHit]:
        return _guarded(self._name, lambda: self._table.nearest(vector, limit=limit, where=where))

    def rows(self, where: Conditions) -> Sequence[RowHit]:
        return _guarded(self._name, lambda: self._table.rows(where))

    def count(self, where: Conditions) -> int:
        return _guarded(self._name, lambda: self._table.count(where))


def _guarded(name: str, call: Callable[[], T]) -> T:
    """Call the other package, and report its failure as an error of ours.

    Raises:
        VectorBackendUnavailable: The other package failed. Its message may contain a key, so the type alone is named.
    """
    try:
        return call()
    except SearchSocketError:
        raise
    except Exception as error:  # noqa: BLE001  (another package's)
        problem = type(error).__name__
    raise VectorBackendUnavailable(f"the store {name!r} failed ({problem})")  # outside the handler: no cause
