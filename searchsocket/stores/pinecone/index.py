"""Generations in Pinecone: each row stores the first generation that has it and the first one that does not."""

from collections.abc import Collection, Iterable

from searchsocket.stores.base import VectorRow
from searchsocket.stores.base.naming import generation_number
from searchsocket.stores.base.row_snapshot import RowSnapshot
from searchsocket.stores.base.upkeep import RegisteredScope
from searchsocket.stores.base.vectors import Written, whenever
from searchsocket.stores.pinecone import filters, mark
from searchsocket.stores.pinecone.connection import PineconeConnection
from searchsocket.stores.pinecone.directory import Directory
from searchsocket.stores.pinecone.generation_rows import PineconeGenerationRows
from searchsocket.stores.pinecone.rows import MAX_BATCH_ROWS, new_row, upsert_batches
from searchsocket.stores.pinecone.upkeep import PineconeUpkeep
from searchsocket.system.batches import batches
from searchsocket.types import Generation, Scope


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
            namespace.delete(filters.seen_by_none([each.name for each in same_dimensions]))
            if namespace.update(filters.ended_behind(newest.name), {filters.DIED: filters.NEVER}) != 0:
                mark.write_mark(namespace, index.dimensions, summary, self._sleep)
