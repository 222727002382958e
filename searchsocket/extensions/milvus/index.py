"""Generations in Milvus: each row stores the first generation that has it and the first one that does not.

For `doctor`, rows are counted on the server, and its problems are found.
"""

import math
import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from searchsocket.errors import ProjectMismatch, VectorBackendRefused, VectorBackendUnavailable
from searchsocket.extensions.milvus import filters
from searchsocket.extensions.milvus.collections import Collections, Registry
from searchsocket.extensions.milvus.connection import MilvusConnection
from searchsocket.extensions.milvus.rows import (
    DIED,
    FIELDS,
    FLAT,
    KEY,
    MilvusKind,
    MilvusRows,
    kind_of,
    marker,
    row_data,
)
from searchsocket.extensions.milvus.settings import MilvusSettings
from searchsocket.stores.base.naming import server_address
from searchsocket.stores.base.row_hits import RowSnapshot
from searchsocket.stores.base.vectors import Finding, RegisteredScope, VectorRow, Written, whenever
from searchsocket.system.batches import batches
from searchsocket.system.json_text import JsonObject
from searchsocket.types import Generation, Scope

_MAX_BATCH_ROWS = 500
_BUILD_WAIT_S = 1.0
_MAX_BUILD_PAUSE_S = 900.0  # without a further row; a server builds many rows at a time
_SEAL_WAITS_S = (0.05, 0.1, 0.2, 0.5, *[1.0] * 30)  # until bounded reads see the writes
_NAMED = 5


class MilvusVectors:
    """Implements `VectorIndex`: one collection per project and number of dimensions, and the project's registry."""

    def __init__(
        self,
        connection: MilvusConnection,
        name: str,
        project_id: str,
        *,
        kind: MilvusKind = FLAT,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Asks the server nothing yet.

        Args:
            name: Prefix of the collections' names, before the number of dimensions.
            project_id: The project that owns them.
            kind: Kind of their vector index; the next write replaces an index of another kind.
            sleep: Waits seconds between checks for visible writes.
        """
        name = re.sub(r"\W", "_", name, flags=re.ASCII)
        self._connection = connection
        self._sleep = sleep
        self._ended: dict[tuple[str, str], list[str]] = {}  # keys of rows that end with a generation of a scope
        self._collections = Collections(connection, name, project_id, kind)
        self._registry = Registry(connection, name, project_id)

    def stage(self, generation: Generation, rows: Iterable[VectorRow], gone: Iterable[str]) -> None:
        """Write how a generation differs from the newest earlier one; readers of other generations do not see it."""
        self._registry.claim()
        collection = self._collections.ensure(generation.dimensions)
        self._ended[generation.scope, generation.name] = []
        is_first = generation.scope not in {scope.scope for scope in self._registry.scopes()}
        for ids in batches(gone, _MAX_BATCH_ROWS):
            self._end(collection, generation, ids)
        for batch in batches(rows, _MAX_BATCH_ROWS):
            if not is_first:  # a first generation has no rows to end
                self._end(collection, generation, [row.id for row in batch])
            self._connection.call("upsert", collection, [row_data(generation, row) for row in batch])

    def seal(self, generation: Generation) -> None:
        """Return once readers see all staged rows: a query that sees the last written row also sees all rows before it.

        The end of a row may become visible later.
        """
        self._registry.add(generation)
        collection = self._collections.name(generation.dimensions)
        last = marker(generation)
        self._connection.call("upsert", collection, [last])
        written = f"{KEY} == {filters.quoted(last[KEY])}"
        self._wait(collection, written, True)
        for keys in batches(self._ended.pop((generation.scope, generation.name), []), _MAX_BATCH_ROWS):
            self._wait(collection, f"{_visible(generation)} and {KEY} in {filters.quoted_list(keys)}", False)
        if not self._collections.kind.is_exact:
            self._build(collection)

    def open(self, generation: Generation, written: Written = whenever) -> RowSnapshot:
        """Open the vectors of a sealed generation."""
        collection = self._collections.name(generation.dimensions)
        is_exact = self._collections.is_exact(collection)
        rows = MilvusRows(self._connection, collection, generation, self._collections.kind, is_exact=is_exact)
        return RowSnapshot(rows, generation.dimensions, written)

    def retain(self, scope: Scope, generations: Collection[Generation]) -> None:
        """Delete rows that none of these generations contains, including those staged by a run that died.

        A collection of another shape is skipped if the scope keeps no generation, because `stage` then recreates it.
        That deletes all of its rows, so a scope that is new to a collection must not cause it.
        """
        if not self._registry.check() and not self._collections.there():
            return
        self._registry.claim()
        registered = [each.scope for each in self._registry.scopes()]
        names_by_collection: dict[str, list[str]] = {}
        for collection, dimensions in self._collections.there():
            names = [generation.name for generation in generations if generation.dimensions == dimensions]
            problem = self._collections.problem(collection, dimensions)
            if problem and (names or (registered and scope.name not in registered)):
                name = scope.name if names else registered[0]
                raise VectorBackendRefused(f"{problem}; run `searchsocket index --resync --scope {name}`")
            if not problem:
                names_by_collection[collection] = names
        self._registry.keep(scope, generations)
        for collection, names in names_by_collection.items():
            self._collections.ensure_index(collection)
            self._connection.load(collection)
            self._connection.call("delete", collection, filter=filters.visible_to_none(scope.name, names))
            if names:
                ended = filters.ended_behind(scope.name, max(names))
                while rows := self._now(collection, ended):
                    self._connection.call("upsert", collection, [{**row, DIED: filters.NEVER} for row in rows])
            # Old versions of rows stay visible for a moment, and would otherwise appear in the next generation.
            self._wait(collection, filters.of_later_generations(scope.name, max(names, default="")), False)

    def registered(self) -> list[RegisteredScope]:
        """Every scope that has rows, by name; empty if nothing was ever written."""
        return self._registry.scopes()

    def count(self, generation: Generation) -> int:
        """The number of rows of a generation; 0 if its collection is gone."""
        return count(self._connection, self._there(generation), _visible(generation))

    def examine(self) -> list[Finding]:
        """Problems other than missing rows: a collection that is gone, has another schema or another owner."""
        return examine(self._connection, self._collections, self._registry)

    def drop(self) -> list[str]:
        """Delete everything of this project and release its name; returns the deleted parts."""
        names = [name for name, _ in self._collections.there()]
        self._registry.check()
        for name in names:
            self._collections.check_owner(name)
        for name in names:
            self._connection.call("drop_collection", name)
            self._connection.forget(name)
        return [*names, *self._registry.drop()]  # last: until then no other project may use the collections

    def _build(self, collection: str) -> None:
        """Return when the server has built its index of all rows; until then it searches by a temporary one.

        Raises:
            VectorBackendUnavailable: The server makes no more progress.
        """
        self._connection.call("flush", collection, timeout_s=_MAX_BUILD_PAUSE_S)
        fewest, waited_s = math.inf, 0.0
        while pending := int(self._collections.index(collection).get("pending_index_rows", 0)):
            fewest, waited_s = (pending, 0.0) if pending < fewest else (fewest, waited_s + _BUILD_WAIT_S)
            if waited_s > _MAX_BUILD_PAUSE_S:
                raise VectorBackendUnavailable(
                    f"Milvus has built no further row of the index ({self._collections.kind.text}) of collection "
                    f"{collection!r} for {_MAX_BUILD_PAUSE_S / 60:.0f} minutes, and {pending:,} rows are left; the "
                    "previous generation stays live. Run again later, or choose another vector.milvus.index"
                )
            self._sleep(_BUILD_WAIT_S)

    def _there(self, generation: Generation) -> str:
        """The collection of a generation; "" if it does not exist."""
        self._registry.check()
        name = self._collections.name(generation.dimensions)
        return name if self._connection.call("has_collection", name) else ""

    def _end(self, collection: str, generation: Generation, ids: Iterable[str]) -> None:
        """Mark the rows of records as ended by this generation."""
        where = filters.alive_before(generation.scope, generation.name, ids)
        if rows := self._now(collection, where):
            self._connection.call("upsert", collection, [{**row, DIED: generation.name} for row in rows])
            self._ended[generation.scope, generation.name] += [row[KEY] for row in rows]

    def _wait(self, collection: str, where: str, is_visible: bool) -> None:
        """Return when a query like those of readers sees a matching row, or sees none."""
        for wait_s in _SEAL_WAITS_S:
            rows = self._connection.call("query", collection, filter=where, output_fields=[KEY], limit=1)
            if bool(rows) == is_visible:
                return
            self._sleep(wait_s)
        raise VectorBackendUnavailable(
            f"writes to Milvus are not visible after {sum(_SEAL_WAITS_S):.0f} s; the previous generation stays live"
        )

    def _now(self, collection: str, where: str) -> list[JsonObject]:
        """Matching rows after all writes, unlike most queries, which may miss the latest; at most one batch."""
        self._connection.load(collection)
        rows = self._connection.call(
            "query",
            collection,
            filter=where,
            output_fields=FIELDS,
            limit=_MAX_BATCH_ROWS,
            consistency_level="Strong",
        )
        return [dict(row) for row in rows]


def make_index(settings: MilvusSettings, project_id: str, environ: Mapping[str, str]) -> MilvusVectors:
    """The vectors of a project on its server; connects to nothing yet.

    Raises:
        KeyMissing: The environment lacks the server's address.
    """
    uri = server_address("milvus", settings.uri_env, environ, "http://127.0.0.1:19530")
    token = environ.get(settings.token_env, "") if settings.token_env else ""
    connection = MilvusConnection(uri, token, settings.timeout_s, token_env=settings.token_env)
    return MilvusVectors(connection, settings.collection or f"{project_id}_chunks", project_id, kind=kind_of(settings))


def _visible(generation: Generation) -> str:
    return filters.visible_to(generation.scope, generation.name)


def count(connection: MilvusConnection, collection: str, where: str) -> int:
    """The number of rows of a collection that match; 0 if the collection is "" (gone)."""
    if not collection:
        return 0
    connection.load(collection)
    fields = ["count(*)"]
    [row] = connection.call("query", collection, filter=where, output_fields=fields, consistency_level="Strong")
    return int(row["count(*)"])


def examine(connection: MilvusConnection, collections: Collections, registry: Registry) -> list[Finding]:
    """Problems other than missing rows: a collection that is gone, has another schema or another owner."""
    try:
        registry.check()
        return [*_gone(collections, registry), *_shapes(collections), *_foreign(connection, collections, registry)]
    except ProjectMismatch as error:
        return [Finding(str(error), "set another name in `vector.milvus.collection`")]
    except VectorBackendRefused as error:
        return [Finding(str(error), "see the message above")]


def _gone(collections: Collections, registry: Registry) -> Iterator[Finding]:
    there = {dimensions for _, dimensions in collections.there()}
    for scope in registry.scopes():
        if scope.dimensions not in there:
            name = collections.name(scope.dimensions)
            yield Finding(f"Milvus collection {name!r} of scope {scope.scope!r} does not exist", _resync(scope.scope))


def _shapes(collections: Collections) -> Iterator[Finding]:
    for name, dimensions in collections.there():
        if problem := collections.problem(name, dimensions):
            yield Finding(problem, "run `searchsocket index --resync`, for each scope")
        elif difference := collections.kind.difference(collections.index(name)):
            yield Finding(f"the index of Milvus collection {name!r} {difference}", "run `searchsocket index`")


def _foreign(connection: MilvusConnection, collections: Collections, registry: Registry) -> Iterator[Finding]:
    """The problem of rows that no query will ever use."""
    scopes = registry.scopes()
    names = filters.quoted_list(scope.scope for scope in scopes)
    for name, _ in collections.there():
        if not collections.index(name):  # it cannot be queried
            continue
        where = f"scope not in {names}" if scopes else 'scope >= ""'
        if not (rows := count(connection, name, where)):
            continue
        some = connection.call("query", name, filter=where, output_fields=["scope"], limit=1_000)
        unregistered = sorted({row["scope"] for row in some})[:_NAMED]
        named = ", ".join(map(repr, unregistered))
        fix = f"run `searchsocket clean --scope {unregistered[0] if unregistered else 'NAME'} --remote`, for each"
        yield Finding(f"Milvus collection {name!r} contains {rows:,} rows of unregistered scopes: {named}", fix)


def _resync(scope: str) -> str:
    return f"run `searchsocket index --resync --scope {scope}`"
