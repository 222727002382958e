"""Maintenance of the rows of a project in Pinecone: list scopes, count rows, find problems, delete."""

from searchsocket.stores.base.upkeep import Finding, RegisteredScope
from searchsocket.stores.pinecone import filters, mark
from searchsocket.stores.pinecone.connection import PineconeConnection
from searchsocket.stores.pinecone.directory import Directory
from searchsocket.stores.pinecone.generation_rows import MAX_TOP_K
from searchsocket.stores.pinecone.namespace import Namespace
from searchsocket.types import Generation


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
