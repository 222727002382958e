"""Generations in Pinecone: each row stores the first generation that has it and the first one that does not."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from searchsocket.errors import KeyMissing
from searchsocket.extensions.pinecone import filters, mark
from searchsocket.extensions.pinecone.connection import PineconeConnection
from searchsocket.extensions.pinecone.directory import Directory
from searchsocket.extensions.pinecone.mark import any_vector
from searchsocket.extensions.pinecone.namespace import Namespace
from searchsocket.extensions.pinecone.rows import (
    BYTES_A_NUMBER,
    MAX_BATCH_ROWS,
    ROOM_FOR_THE_REST,
    new_row,
    upsert_batches,
)
from searchsocket.extensions.pinecone.settings import PineconeSettings
from searchsocket.stores.base import VectorRow
from searchsocket.stores.base.naming import generation_number
from searchsocket.stores.base.row_hits import RowHit, RowSnapshot
from searchsocket.stores.base.upkeep import Finding, RegisteredScope
from searchsocket.stores.base.vectors import Written, whenever
from searchsocket.system.batches import batches
from searchsocket.types import Filter, Generation, Scope, Vector

MAX_TOP_K = 10_000  # "Max top_k value: 10,000. Max result size: 4 MB"
_MAX_ANSWER_BYTES = 3_500_000
_MAX_IDS = 1000
_DOUBLES = 16  # spare rows per request, because some records may appear twice


class PineconeUpkeep:
    """Implements `VectorUpkeep`.

    Every namespace carries its project in its name, so rows of other projects are never touched.
    """

    def __init__(self, connection: PineconeConnection, directory: Directory, project_id: str) -> None:
        """Asks the service nothing yet."""
        self._sleep = connection.sleep
        self._directory = directory
        self._project_id = project_id

    def registered(self) -> list[RegisteredScope]:
        """See `VectorUpkeep.registered`."""
        scopes: dict[str, RegisteredScope] = {}
        for index in self._directory.all():
            for name in self._directory.namespaces(index, self._project_id):
                scope = mark.registered_in(self._directory.namespace_called(index, name), index.dimensions)
                if scope and (before := scopes.get(scope.scope)):
                    scope = before.joined(scope)
                if scope:
                    scopes[scope.scope] = scope
        return [scopes[name] for name in sorted(scopes)]

    def count(self, generation: Generation) -> int:
        """See `VectorUpkeep.count`."""
        if (index := self._directory.look(generation.dimensions)) is None:
            return 0
        namespace = self._directory.namespace(index, generation.project_id, generation.scope)
        vector = mark.any_vector(generation.dimensions)
        rows, ranges = 0, [(0, filters.BUCKETS)]
        while ranges:
            low, high = ranges.pop()
            where = filters.dealt(generation.name, low, high)
            matches = namespace.search(vector, top_k=MAX_TOP_K, where=where, vectors=False).rows
            if len(matches) == MAX_TOP_K and high - low > 1:
                middle = (low + high) // 2
                ranges += [(middle, high), (low, middle)]
            else:
                rows += len(matches)
        return rows

    def examine(self) -> list[Finding]:
        """See `VectorUpkeep.examine`."""
        findings = []
        for name, problem in self._directory.problems():
            findings.append(
                Finding(f"Pinecone index {name!r} {problem}", "set another name in `vector.pinecone.index`")
            )
        return findings

    def drop(self) -> list[str]:
        """See `VectorUpkeep.drop`."""
        gone = []
        for index in self._directory.all():
            for name in self._directory.namespaces(index, self._project_id):
                mark.clear(self._directory.namespace_called(index, name), index.dimensions, self._sleep)
                gone.append(f"namespace {name!r} of Pinecone index {index.name!r}")
        return gone

    def namespace(self, generation: Generation) -> Namespace:
        """The rows of a generation's scope.

        Raises:
            VectorBackendRefused: There is no index for them.
        """
        index = self._directory.find(generation.dimensions)
        return self._directory.namespace(index, generation.project_id, generation.scope)

    def note(self, namespace: Namespace, more: list[Generation]) -> None:
        """Register these generations too, and return when searches see all earlier writes."""
        scope = RegisteredScope.of(more)
        if before := mark.registered_in(namespace, scope.dimensions):
            scope = before.joined(scope)
        mark.write_mark(namespace, scope.dimensions, scope, self._sleep)


class PineconeVectors(PineconeUpkeep):
    """Implements `VectorIndex`: one index per project and number of dimensions, one namespace per scope in it.

    Accepted writes become visible later, in any order, and a filter matches visible rows only. So before a write by
    filter, and before publishing, this waits until a search reports that it saw all earlier writes.
    """

    def __init__(
        self,
        connection: PineconeConnection,
        name: str,
        project_id: str,
        *,
        cloud: str = "aws",
        region: str = "us-east-1",
    ) -> None:
        """Asks the service nothing yet.

        Args:
            name: See `Directory`, as for the others.
            project_id: The project that owns the rows.
        """
        super().__init__(connection, Directory(connection, name, cloud=cloud, region=region), project_id)

    def stage(self, generation: Generation, rows: Iterable[VectorRow], gone: Iterable[str]) -> None:
        """See `VectorIndex.stage`."""
        index = self._directory.make(generation.dimensions)
        namespace = self._directory.namespace(index, generation.project_id, generation.scope)

        def end(ids: list[str]) -> None:
            namespace.update(
                filters.alive_before(generation.name, ids), {filters.DIED: generation_number(generation.name)}
            )

        for ids in batches(gone, MAX_BATCH_ROWS):
            end(ids)
        for some in batches(rows, MAX_BATCH_ROWS):
            new = [new_row(generation, row) for row in some]
            end([row.metadata[filters.RECORD] for row in new])
            for batch in upsert_batches(new):
                namespace.upsert(batch)

    def seal(self, generation: Generation) -> None:
        """See `VectorIndex.seal`."""
        self.note(self.namespace(generation), [generation])

    def open(self, generation: Generation, written: Written = whenever) -> RowSnapshot:
        """See `VectorIndex.open`."""
        rows = PineconeGenerationRows(self.namespace, generation)
        return RowSnapshot(rows, generation.dimensions, written)

    def retain(self, scope: Scope, generations: Collection[Generation]) -> None:
        """See `VectorIndex.retain`."""
        for index in self._directory.all():
            namespace = self._directory.namespace(index, scope.project_id, scope.name)
            same_dimensions = [each for each in generations if each.dimensions == index.dimensions]
            if not same_dimensions:
                mark.clear(namespace, index.dimensions, self._sleep)
                continue
            newest = max(same_dimensions, key=lambda each: each.name)
            summary = RegisteredScope.of(same_dimensions)
            mark.write_mark(
                namespace, index.dimensions, summary, self._sleep
            )  # a dead run's writes may be on their way
            namespace.delete(filters.visible_to_none([each.name for each in same_dimensions]))
            if namespace.update(filters.ended_behind(newest.name), {filters.DIED: filters.NEVER}) != 0:
                mark.write_mark(namespace, index.dimensions, summary, self._sleep)


def make_index(settings: PineconeSettings, project_id: str, environ: Mapping[str, str]) -> PineconeVectors:
    """The vectors of a project in its index; connects to nothing yet.

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
    index = settings.index or project_id
    return PineconeVectors(connection, index, project_id, cloud=settings.cloud, region=settings.region)


def max_rows_with_vectors(dimensions: int) -> int:
    """The most rows that fit into one answer together with their vectors."""
    row_bytes = dimensions * (BYTES_A_NUMBER + 8) + ROOM_FOR_THE_REST
    return max(1, min(_MAX_IDS, _MAX_ANSWER_BYTES // row_bytes))


class PineconeGenerationRows:
    """Implements `GenerationRows`."""

    max_rows = MAX_TOP_K
    index = "pinecone"
    is_exact = False  # the service chooses how it searches
    tolerance = 1e-6  # the service stores float32, and sends numbers in its own format

    def __init__(self, namespace_of: Callable[[Generation], Namespace], generation: Generation) -> None:
        """Calls nothing yet."""
        self._namespace_of = namespace_of
        self._generation = generation
        self._max_rows_with_vectors = max_rows_with_vectors(generation.dimensions)

    def nearest(self, vector: Vector, limit: int, where: Filter) -> Sequence[RowHit]:
        """See `GenerationRows.nearest`."""
        matches = self._namespace_of(self._generation).search(
            vector,
            top_k=limit,
            where=filters.matching(self._generation.name, where),
            vectors=limit <= self._max_rows_with_vectors,
        )
        return [match.row_hit for match in matches.rows]

    def named(self, ids: Sequence[str]) -> Sequence[RowHit]:
        """See `GenerationRows.named`."""
        namespace, limit = self._namespace_of(self._generation), self._max_rows_with_vectors
        vector = any_vector(self._generation.dimensions)
        waiting = list(batches(ids, max(1, limit - _DOUBLES)))
        rows: list[RowHit] = []
        while waiting:
            some = waiting.pop()
            where = filters.named(self._generation.name, some)
            matches = namespace.search(vector, top_k=limit, where=where, vectors=True).rows
            if len(matches) == limit and len(some) > 1:  # some records may appear twice
                middle = len(some) // 2
                waiting += [some[:middle], some[middle:]]
            else:
                rows += [match.row_hit for match in matches if match.vector]
        return rows
