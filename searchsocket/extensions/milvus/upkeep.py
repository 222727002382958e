"""Count rows on a server and find its problems, for `doctor`."""

from collections.abc import Iterator

from searchsocket.errors import ProjectMismatch, VectorBackendRefused
from searchsocket.extensions.milvus import filters
from searchsocket.extensions.milvus.collections import Collections
from searchsocket.extensions.milvus.connection import MilvusConnection
from searchsocket.extensions.milvus.registry import Registry
from searchsocket.stores.base.upkeep import Finding

_NAMED = 5


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
