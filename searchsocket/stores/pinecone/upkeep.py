"""Looking after the rows of a project in Pinecone: what is kept, whether it is whole, and making it so."""

from collections.abc import Iterable, Iterator

from searchsocket.stores.base import VectorRow
from searchsocket.stores.base.naming import generation_number
from searchsocket.stores.base.upkeep import Finding, HeldRow, Registered
from searchsocket.stores.pinecone import filters, mark
from searchsocket.stores.pinecone.connection import Connection
from searchsocket.stores.pinecone.directory import Directory, Index
from searchsocket.stores.pinecone.namespace import Match, Namespace
from searchsocket.stores.pinecone.rows import MAX_BATCH_ROWS, digest_of_row, new_row, upsert_batches
from searchsocket.stores.pinecone.snapshot import MAX_TOP_K, max_rows_with_vectors
from searchsocket.system.batches import batches
from searchsocket.types import Generation


class PineconeUpkeep:
    """Implements `VectorUpkeep`.

    Every namespace carries its project in its name, so nothing of another project is ever met.
    """

    def __init__(self, connection: Connection, directory: Directory, project_id: str) -> None:
        """Asks the service nothing yet."""
        self._sleep = connection.sleep
        self._directory = directory
        self._project_id = project_id

    def registered(self) -> list[Registered]:
        """See `VectorUpkeep.registered`."""
        kept: dict[str, Registered] = {}
        for index in self._directory.all():
            for name in self._directory.namespaces(index, self._project_id):
                found = mark.registered_in(self._directory.namespace_called(index, name), index.dimensions)
                if found and (before := kept.get(found.scope)):
                    found = _joined(before, found)
                if found:
                    kept[found.scope] = found
        return [kept[scope] for scope in sorted(kept)]

    def count(self, generation: Generation) -> int:
        """See `VectorUpkeep.count`."""
        return sum(1 for _ in self._rows(generation, vectors=False))

    def held(self, generation: Generation) -> Iterator[HeldRow]:
        """See `VectorUpkeep.held`."""
        for match in self._rows(generation, vectors=True):
            yield HeldRow(match.record_id, digest_of_row(match.metadata, match.vector or ()), match.shown.born)

    def digest(self, row: VectorRow) -> bytes:
        """See `VectorUpkeep.digest`."""
        generation = Generation("20000101T000000Z-000000", "", "", "", len(row.vector), "", 0, 0, "")
        new = new_row(generation, row)
        return digest_of_row(new.metadata, new.vector)

    def mend(self, generation: Generation) -> list[str]:
        """See `VectorUpkeep.mend`."""
        found = self._directory.look(generation.dimensions)
        if found is None:
            index = self._directory.make(generation.dimensions)
            return [f"Pinecone index {index.name!r} was gone"]
        return []

    def restore(self, generation: Generation, rows: Iterable[VectorRow], until: Generation | None) -> None:
        """See `VectorUpkeep.restore`."""
        namespace = self.namespace(generation)
        died = generation_number(until.name) if until else filters.NEVER
        for some in batches(rows, MAX_BATCH_ROWS):
            for batch in upsert_batches(new_row(generation, row, died) for row in some):
                namespace.upsert(batch)
        self.note(namespace, [generation])

    def erase(self, generation: Generation, ids: Iterable[str]) -> None:
        """See `VectorUpkeep.erase`."""
        namespace = self.namespace(generation)
        some = None
        for some in batches(ids, MAX_BATCH_ROWS):
            namespace.delete(filters.named(generation.name, some))
        if some:
            self.note(namespace, [generation])

    def examine(self) -> list[Finding]:
        """See `VectorUpkeep.examine`."""
        findings = []
        for name, problem in self._directory.problems():
            findings.append(
                Finding(f"Pinecone index {name!r} {problem}", "name another one in `vector.pinecone.index`")
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
        """Say that a namespace keeps these generations too, and return when all that was written is seen."""
        kept = Registered.of(more)
        if before := mark.registered_in(namespace, kept.dimensions):
            kept = _joined(before, kept)
        mark.write_mark(namespace, kept.dimensions, kept, self._sleep)

    def _rows(self, generation: Generation, *, vectors: bool) -> Iterator[Match]:
        """All rows that a generation sees, some buckets at a time; none where what would hold them is gone."""
        index: Index | None = self._directory.look(generation.dimensions)
        if index is None:
            return
        namespace = self._directory.namespace(index, generation.project_id, generation.scope)
        limit = max_rows_with_vectors(generation.dimensions) if vectors else MAX_TOP_K
        vector = mark.any_vector(generation.dimensions)
        waiting = [(0, filters.BUCKETS)]
        while waiting:
            low, high = waiting.pop()
            where = filters.dealt(generation.name, low, high)
            found = namespace.search(vector, top_k=limit, where=where, vectors=vectors).matches
            if len(found) == limit and high - low > 1:
                middle = (low + high) // 2
                waiting += [(middle, high), (low, middle)]
            else:
                yield from found


def _joined(before: Registered, after: Registered) -> Registered:
    """What was said of a scope, and what is said now."""
    newest = max(before, after, key=lambda each: each.generations[-1])
    generations = tuple(sorted({*before.generations, *after.generations}))
    return Registered(
        newest.scope, newest.project_id, newest.model_id, newest.dimensions, generations, newest.indexed_at,
        newest.records,
    )  # fmt: skip
