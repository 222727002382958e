"""Remote vector stores: count the rows of a scope, and write them again from the embedding cache."""

from collections.abc import Iterable, Iterator, Sequence

from searchsocket.backends import Backends
from searchsocket.models.embedders import unkept_embedder
from searchsocket.models.embedders.cache import EmbeddingCache
from searchsocket.pipeline.run.vectors import vectors_of
from searchsocket.stores.base.upkeep import Finding
from searchsocket.types import Record, Scope, Vectors


class CachedVectors:
    """Implements `RecordVectors` with the cache, or with the built-in model, whose vectors are not cached."""

    def __init__(self, cache: EmbeddingCache) -> None:
        self._cache = cache

    def missing(self, records: Sequence[Record]) -> int:
        """Return the number of these records that have no vector."""
        model_id = records[0].model_id
        if unkept_embedder(model_id) is not None:
            return 0
        hashes = [record.content_hash for record in records]
        missing = set(self._cache.missing(hashes, model_id))
        return sum(text_hash in missing for text_hash in hashes)

    def get(self, records: Sequence[Record]) -> Vectors:
        """Return the vector of each record, in their order; `StateUnavailable` if one is missing."""
        model_id = records[0].model_id
        if (embedder := unkept_embedder(model_id)) is not None:
            return vectors_of(records, embedder, self._cache)
        return self._cache.get([record.content_hash for record in records], model_id)


def findings(backends: Backends, scopes: Iterable[Scope]) -> Iterator[Finding]:
    """Yield problems of the remote index and of these scopes in it; nothing if vectors are stored in the index folder.

    Raises:
        VectorBackendUnavailable: The remote store cannot be reached.
    """
    store = backends.store
    if (index := store.remote_index) is None:
        return
    yield from index.examine()
    for scope in scopes:
        generation = store.generation(scope)
        if generation is None:
            continue
        rows = index.count(generation)
        if rows != generation.records:
            yield Finding(
                f"scope {scope.name!r}: {rows:,} of {generation.records:,} rows",
                f"run `searchsocket index --resync --scope {scope.name}`",
            )


def resync(backends: Backends, scope: Scope) -> list[str]:
    """Write the remote rows of a scope again; embeds nothing.

    Returns:
        Lines for the run's report; empty if vectors are stored in the index folder.

    Raises:
        VectorBackendUnavailable, ProjectMismatch: The rows cannot be written.
    """
    with backends.open_cache(read_only=True) as cache:
        report = backends.store.resync(scope, CachedVectors(cache))
    if report.missing_vectors:
        return [
            f"the vectors of {report.missing_vectors:,} records are not in the embedding cache; "
            "run `searchsocket index --force`"
        ]
    return [f"{report.rows:,} rows were written to the vector store again"] if report.rows else []
