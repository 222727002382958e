"""Tables in Pinecone: an index for each number of dimensions, with a namespace for each project and scope.

The index is found, of either kind, or created.

Accepted writes become visible later, in any order, and a filter matches visible rows only. So before a deletion by
filter, and before publishing, this waits until a search reports that it saw all writes of the group.
"""

import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from typing import Any

from searchsocket.errors import KeyMissing, VectorBackendRefused, VectorBackendUnavailable
from searchsocket.extensions.pinecone.connection import PineconeConnection
from searchsocket.extensions.pinecone.namespace import (
    BUCKET,
    BUCKETS,
    BYTES_A_NUMBER,
    DIED,
    MARK,
    RECORD,
    ROOM_FOR_THE_REST,
    DocumentNamespace,
    LegacyNamespace,
    Namespace,
    any_vector,
    mark_of,
    namespace_name,
    namespace_prefix,
    row_of,
    unless_absent,
    upsert_batches,
    where_of,
)
from searchsocket.extensions.pinecone.settings import PineconeSettings
from searchsocket.stores.base.conditions import Among, Between, Condition, Conditions
from searchsocket.stores.base.row_hits import RowHit
from searchsocket.stores.base.tables import TableRow
from searchsocket.stores.base.vectors import Finding
from searchsocket.system.batches import batches
from searchsocket.types import Vector

MAX_TOP_K = 10_000  # "Max top_k value: 10,000. Max result size: 4 MB"
_MAX_ANSWER_BYTES = 3_500_000
_MAX_ROWS_WITH_VECTORS = 1_000
_DOUBLES = 16  # spare rows per request, because some records may appear twice
_VISIBILITY_WAITS_S = (0.1, 0.2, 0.5, *[1.0] * 120)  # until searches see the writes
_LEGACY_FIELD = "_values"  # the service's field name for an index without a schema
_OUR_FIELD = "embedding"
_METRICS = ("cosine", "dotproduct")  # the same order for vectors of unit length
_MAX_INDEX_CHARS = 45
_READY_WAITS_S = (0.5, 1.0, *[2.0] * 60)


class PineconeTables:
    """Implements `ExaminedTables`."""

    max_rows = MAX_TOP_K
    tolerance = 1e-6  # the service stores float32, and sends numbers in its own format
    index = "pinecone"  # the service chooses how it searches

    def __init__(
        self, connection: PineconeConnection, name: str, *, cloud: str = "aws", region: str = "us-east-1"
    ) -> None:
        """Asks the service nothing yet; see `Directory` for the other arguments."""
        self.directory = Directory(connection, name, cloud=cloud, region=region)
        self._sleep = connection.sleep
        self._unseen: dict[tuple[str, str], tuple[Namespace, int, int]] = {}  # by place: dimensions, last position

    def dimensions(self) -> Sequence[int]:
        """The numbers of dimensions of which there is an index that can be used."""
        return sorted(index.dimensions for index in self.directory.all())

    def create(self, dimensions: int) -> None:
        """Create the index if it does not exist."""
        self.directory.make(dimensions)

    def table(self, dimensions: int) -> "PineconeTable":
        """The rows of one index; calls nothing."""
        return PineconeTable(self, dimensions)

    def begin(self) -> None:
        """Start a group of writes."""
        self._unseen.clear()

    def seal(self) -> None:
        """Return once searches see all writes of the group."""
        for namespace, _, _ in list(self._unseen.values()):
            self.settle(namespace)

    def problems(self) -> Sequence[Finding]:
        """The indexes with our names that cannot be used."""
        return list(self.directory.problems())

    def drop(self, dimensions: int) -> None:
        """Do nothing: the index may be somebody else's."""

    def note_write(self, namespace: Namespace, dimensions: int, position: int | None) -> None:
        """Remember a write for `settle`.

        Raises:
            VectorBackendRefused: The service does not report which writes a search sees.
        """
        if position is None:
            raise VectorBackendRefused(
                "this Pinecone index does not report when writes are visible; set `vector.pinecone.index` to a "
                "serverless index"
            )
        self._unseen[namespace.place] = (namespace, dimensions, position)

    def settle(self, namespace: Namespace) -> None:
        """Return when searches see all writes to a namespace up to its last one in this group.

        Raises:
            VectorBackendUnavailable: They are not visible in time.
        """
        if namespace.place not in self._unseen:
            return
        _, dimensions, written = self._unseen[namespace.place]

        def is_seen() -> bool:
            position = namespace.search(any_vector(dimensions), top_k=1, vectors=False).log_position
            return position is not None and position >= written

        self._wait(is_seen, "writes to Pinecone are not visible")
        del self._unseen[namespace.place]

    def clear(self, namespace: Namespace, dimensions: int) -> None:
        """Delete all rows of a namespace, and return when a search sees none."""

        def is_empty() -> bool:
            return not namespace.search(any_vector(dimensions), top_k=1, vectors=False).rows

        namespace.clear()
        self._wait(is_empty, "deleted rows are still visible in Pinecone")

    def _wait(self, is_done: Callable[[], bool], what: str) -> None:
        for wait_s in chain([0.0], _VISIBILITY_WAITS_S):
            if wait_s:
                self._sleep(wait_s)
            if is_done():
                return
        raise VectorBackendUnavailable(
            f"{what} after {sum(_VISIBILITY_WAITS_S):.0f} s; the previous generation stays live, and the next run "
            "cleans up"
        )


class PineconeTable:
    """Implements `VectorTable`.

    A row that describes a scope is the marker row of the scope's namespace.
    """

    def __init__(self, tables: PineconeTables, dimensions: int) -> None:
        self._tables = tables
        self._dimensions = dimensions

    def upsert(self, rows: Sequence[TableRow]) -> None:
        """Write rows, in batches that fit into requests."""
        for (project, scope), some in groupby(rows, lambda row: (row.project, row.scope or row.record)):
            [(namespace, _)] = self._places([Among("project", (project,)), Among("scope", (scope,))])
            for batch in upsert_batches(mark_of(row) if row.note else row_of(row) for row in some):
                self._tables.note_write(namespace, self._dimensions, namespace.upsert(batch))

    def end(self, where: Conditions, died: int) -> None:
        """Set the field `died` of all visible rows that match."""
        for namespace, conditions in self._places(where):
            matched, position = namespace.update(where_of(conditions), {DIED: died})
            if matched != 0 and position is not None:  # else the upsert that ends each publish has a later one
                self._tables.note_write(namespace, self._dimensions, position)

    def delete(self, where: Conditions) -> None:
        """Delete all matching rows; without further conditions, all of a namespace."""
        for namespace, conditions in self._places(where):
            if conditions:
                self._tables.settle(namespace)  # also writes of a run that died
                namespace.delete(where_of(conditions))
            else:
                self._tables.clear(namespace, self._dimensions)

    def nearest(self, vector: Vector, *, limit: int, where: Conditions) -> Sequence[RowHit]:
        """At most `limit` matching rows, best first; with vectors if these fit into the answer."""
        [(namespace, conditions)] = self._places(where)
        has_vectors = limit <= max_rows_with_vectors(self._dimensions)
        matches = namespace.search(vector, top_k=limit, where=where_of(conditions), vectors=has_vectors)
        return matches.rows

    def rows(self, where: Conditions) -> Sequence[RowHit]:
        """All matching rows, with their vectors."""
        return [hit for namespace, conditions in self._places(where) for hit in self._rows(namespace, conditions)]

    def count(self, where: Conditions) -> int:
        """The number of matching rows."""
        if not where:
            directory = self._tables.directory
            return sum(directory.namespaces(directory.find(self._dimensions)).values())
        return sum(self._count(namespace, conditions) for namespace, conditions in self._places(where))

    def _places(self, where: Conditions) -> list[tuple[Namespace, list[Condition]]]:
        """The namespaces whose rows may match, each with the conditions that are left for its rows."""
        texts = {each.field: each.texts for each in where if isinstance(each, Among)}
        rest = [each for each in where if not (isinstance(each, Among) and each.field in ("project", "scope"))]
        scopes = texts.get("scope")
        if scopes == ("",):
            scopes, rest = texts.get("record"), [MARK]
        directory = self._tables.directory
        index = directory.find(self._dimensions)
        if scopes is None:
            names = [name for project in texts["project"] for name in directory.namespaces(index, project)]
        else:
            names = [namespace_name(project, scope) for project in texts["project"] for scope in scopes]
        return [(directory.namespace(index, name), rest) for name in names]

    def _rows(self, namespace: Namespace, conditions: Conditions) -> Iterator[RowHit]:
        limit = max_rows_with_vectors(self._dimensions)
        waiting = list(_parts(conditions, max(1, limit - _DOUBLES)))
        while waiting:
            some = waiting.pop()
            matches = namespace.search(any_vector(self._dimensions), top_k=limit, where=where_of(some), vectors=True)
            halves = list(_parts(some)) if len(matches.rows) == limit else []  # some records may appear twice
            if len(halves) > 1:
                waiting += halves
            else:
                yield from (row for row in matches.rows if row.vector)

    def _count(self, namespace: Namespace, conditions: Conditions) -> int:
        rows, ranges = 0, [(0, BUCKETS)]
        while ranges:
            low, high = ranges.pop()
            where = where_of([*conditions, Between(BUCKET, low, high)])
            matches = namespace.search(any_vector(self._dimensions), top_k=MAX_TOP_K, where=where, vectors=False)
            if len(matches.rows) == MAX_TOP_K and high - low > 1:
                middle = (low + high) // 2
                ranges += [(middle, high), (low, middle)]
            else:
                rows += len(matches.rows)
        return rows


def _parts(conditions: Conditions, size: int = 0) -> Iterator[list[Condition]]:
    """The conditions for some of their records each.

    Args:
        size: Records of a part; 0 = half of them.
    """
    records = next(
        (condition for condition in conditions if isinstance(condition, Among) and condition.field == RECORD), None
    )
    if records is None:
        yield list(conditions)
        return
    rest = [condition for condition in conditions if condition is not records]
    for some in batches(records.texts, size or -(-len(records.texts) // 2)):
        yield [*rest, Among(RECORD, tuple(some))]


def max_rows_with_vectors(dimensions: int) -> int:
    """The most rows that fit into one answer together with their vectors."""
    row_bytes = dimensions * (BYTES_A_NUMBER + 8) + ROOM_FOR_THE_REST
    return max(1, min(_MAX_ROWS_WITH_VECTORS, _MAX_ANSWER_BYTES // row_bytes))


def make_tables(settings: PineconeSettings, project_id: str, environ: Mapping[str, str]) -> PineconeTables:
    """The indexes of a project; connects to nothing yet.

    Raises:
        KeyMissing: The environment lacks the key.
    """
    if not (key := environ.get(settings.api_key_env, "").strip()):
        raise KeyMissing(
            f"vector.provider is pinecone, but the environment variable {settings.api_key_env} with the key of a "
            "Pinecone project is not set",
            f"set ${settings.api_key_env}",
        )
    host = environ.get("PINECONE_CONTROLLER_HOST", "")  # the vendor's own variable
    connection = PineconeConnection(key, key_env=settings.api_key_env, host=host, timeout_s=settings.timeout_s)
    return PineconeTables(connection, settings.index or project_id, cloud=settings.cloud, region=settings.region)


@dataclass(frozen=True, slots=True)
class Index:
    """An existing index."""

    name: str
    host: str
    dimensions: int
    vector_field: str
    client: Any  # the vendor's


class Directory:
    """The indexes of a project, with a cache of earlier lookups."""

    def __init__(self, connection: PineconeConnection, name: str, *, cloud: str, region: str) -> None:
        """Asks nothing yet.

        Args:
            name: Prefix of the index names, before the number of dimensions; an index of exactly this name counts too.
            cloud, region: Location of new indexes.
        """
        self._connection = connection
        self._name = re.sub(r"[^a-z0-9]+", "-", name.lower())[: _MAX_INDEX_CHARS - 6].strip("-") or "searchsocket"
        self._deployment = {"deployment_type": "managed", "cloud": cloud, "region": region}
        self._lock = threading.Lock()
        self._indexes: dict[int, Index] = {}

    def namespace(self, index: Index, name: str) -> Namespace:
        """The rows of a namespace in an index."""
        if index.vector_field == _LEGACY_FIELD:
            return LegacyNamespace(self._connection, index.client, index.name, name)
        return DocumentNamespace(self._connection, index.client, index.name, name, index.vector_field)

    def namespaces(self, index: Index, project_id: str | None = None) -> Mapping[str, int]:
        """The namespaces of a project in an index, or of all projects, with their numbers of rows."""
        prefix = "" if project_id is None else namespace_prefix(project_id)
        listed = self._connection.read(
            lambda: [namespace for page in index.client.list_namespaces() for namespace in page.namespaces], index.name
        )
        return {each.name: int(each.record_count) for each in listed if each.name.startswith(prefix)}

    def problems(self) -> Iterator[Finding]:
        """The indexes with our names that cannot be used."""
        indexes = self._connection.indexes()
        own = re.compile(rf"{self._name}-(\d+)")
        for model in self._connection.read(lambda: list(indexes.list())):
            if match := own.fullmatch(model.name):
                field, problem = _dense_field(model), ""
                if field is None or field[1].dimension != int(match[1]):
                    problem = f"does not have {match[1]} dimensions"
                elif field[1].metric not in _METRICS:
                    problem = f"uses the metric {field[1].metric!r}"
                if problem:
                    problem = f"Pinecone index {model.name!r} {problem}"
                    yield Finding(problem, "set another name in `vector.pinecone.index`")

    def find(self, dimensions: int) -> Index:
        """The index for vectors of so many dimensions.

        Raises:
            VectorBackendRefused: There is none, or the index of this name cannot be used.
        """
        with self._lock:
            index = self._indexes.get(dimensions)
            if index is None or self._connection.was_lost(index.name):
                index = self._existing(dimensions)
                if index is None:
                    raise VectorBackendRefused(
                        f"Pinecone has no index {self._own_name(dimensions)!r} for vectors of {dimensions} "
                        f"dimensions; `searchsocket index --resync` creates and fills it, without embedding again"
                    )
                self._indexes[dimensions] = index
            return index

    def make(self, dimensions: int) -> Index:
        """The index for vectors of so many dimensions, created if missing; returns when it can be used."""
        with self._lock:
            self._indexes.pop(dimensions, None)
            index = self._existing(dimensions) or self._create(dimensions)
            self._indexes[dimensions] = index
            return index

    def all(self) -> list[Index]:
        """All existing indexes of the project, of any dimensions."""
        indexes = self._connection.indexes()
        models = {model.name: model for model in self._connection.read(lambda: list(indexes.list()))}
        by_dimensions: dict[int, Index] = {}
        for name in sorted(models, reverse=True):  # the one without a number last, as it is the second choice
            field = _dense_field(models[name]) if re.fullmatch(rf"{self._name}(-\d+)?", name) else None
            is_ours = field and name in (self._name, self._own_name(field[1].dimension))
            if field and is_ours and field[1].metric in _METRICS and models[name].host:
                by_dimensions.setdefault(field[1].dimension, self._usable(models[name]))
        return list(by_dimensions.values())

    def _own_name(self, dimensions: int) -> str:
        return f"{self._name}-{dimensions}"

    def _existing(self, dimensions: int) -> Index | None:
        own = self._described(self._own_name(dimensions))
        if own is not None:
            index = self._usable(own)
            if index.dimensions != dimensions:
                raise VectorBackendRefused(
                    f"Pinecone index {own.name!r} has {index.dimensions} dimensions, not {dimensions}; set "
                    f"another name in `vector.pinecone.index`"
                )
            return index
        other = self._described(self._name)
        field = other and _dense_field(other)
        return self._usable(other) if other and field and field[1].dimension == dimensions else None

    def _create(self, dimensions: int) -> Index:
        name = self._own_name(dimensions)
        indexes = self._connection.indexes()
        vector = {"type": "dense_vector", "dimension": dimensions, "metric": "cosine"}
        options = {"schema": {"fields": {_OUR_FIELD: vector}}, "deployment": self._deployment, "timeout": -1}
        try:
            self._connection.write(lambda: indexes.create(name=name, **options), name)
        except VectorBackendUnavailable:
            if self._described(name) is None:  # another run was faster, or the answer was lost
                raise
        for wait_s in _READY_WAITS_S:
            model = self._described(name)
            if model is not None and model.status.ready and model.host:
                return self._usable(model)
            self._connection.sleep(wait_s)
        raise VectorBackendUnavailable(f"Pinecone index {name!r} is not ready after {sum(_READY_WAITS_S):.0f} s")

    def _described(self, name: str) -> Any:
        """The service's description of an index; None: there is none of this name."""
        indexes = self._connection.indexes()
        return self._connection.read(lambda: unless_absent(lambda: indexes.describe(name)), name)

    def _usable(self, model: Any) -> Index:
        field = _dense_field(model)
        if field is None:
            raise VectorBackendRefused(
                f"Pinecone index {model.name!r} has no field for dense vectors; set another name in "
                f"`vector.pinecone.index`"
            )
        name, vector = field
        if vector.metric not in _METRICS:
            raise VectorBackendRefused(
                f"Pinecone index {model.name!r} uses the metric {vector.metric!r}, not "
                f"{' or '.join(_METRICS)}; set another name in `vector.pinecone.index`"
            )
        if not model.host:
            raise VectorBackendUnavailable(f"Pinecone index {model.name!r} is {model.status.state}; run it again")
        return Index(model.name, model.host, vector.dimension, name, self._connection.data(model.host))


def _dense_field(model: Any) -> tuple[str, Any] | None:
    """The field of a schema for dense vectors; a schema has at most one."""
    fields = model.schema.fields.items()
    return next(((name, field) for name, field in fields if type(field).__name__ == "DenseVectorField"), None)
