"""Generations in Pinecone: rows with the first generation that has them and the first that has not."""

from collections.abc import Callable, Collection, Iterable
from itertools import chain

import numpy as np

from searchsocket.errors import VectorBackendUnavailable
from searchsocket.stores.base import VectorRow
from searchsocket.stores.pinecone import filters
from searchsocket.stores.pinecone.connection import Connection
from searchsocket.stores.pinecone.directory import Directory
from searchsocket.stores.pinecone.namespace import Namespace
from searchsocket.stores.pinecone.rows import MAX_BATCH_ROWS, marker, new_row, upsert_batches
from searchsocket.stores.pinecone.snapshot import PineconeSnapshot
from searchsocket.system.batches import batches
from searchsocket.types import Generation, Scope

_SEEN_WAITS_S = (0.1, 0.2, 0.5, *[1.0] * 120)  # until searches see what was written


class PineconeVectors:
    """Implements `VectorIndex`: one index of a project for each number of dimensions, a namespace of it for a scope.

    The service sees a write some time after it was accepted, and writes in any order; what matches a filter is what it
    sees. So whoever writes by a filter, or publishes, waits until a search says that it saw all written before.
    """

    def __init__(self, connection: Connection, name: str, *, cloud: str = "aws", region: str = "us-east-1") -> None:
        """Asks the service nothing yet.

        Args:
            name: See `Directory`, as for the others.
        """
        self._sleep = connection.sleep
        self._directory = Directory(connection, name, cloud=cloud, region=region)

    def stage(self, generation: Generation, rows: Iterable[VectorRow], gone: Iterable[str]) -> None:
        """See `VectorIndex.stage`."""
        index = self._directory.make(generation.dimensions)
        namespace = self._directory.namespace(index, generation.project_id, generation.scope)

        def end(ids: list[str]) -> None:
            namespace.update(
                filters.alive_before(generation.name, ids), {filters.DIED: filters.number_of(generation.name)}
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
        _wait_until_seen(self._namespace(generation), generation, self._sleep)

    def open(self, generation: Generation) -> PineconeSnapshot:
        """See `VectorIndex.open`."""
        return PineconeSnapshot(self._namespace, generation)

    def retain(self, scope: Scope, generations: Collection[Generation]) -> None:
        """See `VectorIndex.retain`."""
        for index in self._directory.all():
            namespace = self._directory.namespace(index, scope.project_id, scope.name)
            kept = [each for each in generations if each.dimensions == index.dimensions]
            if not kept:
                namespace.clear()
                continue
            newest = max(kept, key=lambda each: each.name)
            _wait_until_seen(namespace, newest, self._sleep)  # what a run that died has sent may still be on its way
            namespace.delete(filters.seen_by_none([each.name for each in kept]))
            if namespace.update(filters.ended_behind(newest.name), {filters.DIED: filters.NEVER}) != 0:
                _wait_until_seen(namespace, newest, self._sleep)

    def _namespace(self, generation: Generation) -> Namespace:
        index = self._directory.find(generation.dimensions)
        return self._directory.namespace(index, generation.project_id, generation.scope)


def _wait_until_seen(namespace: Namespace, generation: Generation, sleep: Callable[[float], None]) -> None:
    """Return when a search of a scope sees all that was written to it before.

    Raises:
        VectorBackendUnavailable: It does not in time, or the service does not say what it sees.
    """
    last = marker(generation)
    written = namespace.upsert([last])
    if written is None:
        raise VectorBackendUnavailable(
            "Pinecone does not say when what was written is seen, as only serverless indexes do; name one of those in "
            "`vector.pinecone.index`"
        )
    vector = np.array(last.vector, np.float32)
    for wait_s in chain([0.0], _SEEN_WAITS_S):
        if wait_s:
            sleep(wait_s)
        seen = namespace.search(vector, top_k=1, where={}, vectors=False).seen
        if seen is not None and seen >= written:
            return
    raise VectorBackendUnavailable(
        f"what was written to Pinecone is not seen after {sum(_SEEN_WAITS_S):.0f} s; what was live before stays live, "
        "and the next run clears this away"
    )
