"""Remote vector stores: count the rows of a scope, and write them again from the embedding cache.

The recall of an approximate index compares its answers with those of all vectors, before the switch.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from searchsocket.backends import Backends
from searchsocket.content.chunking.records import embedded_text
from searchsocket.errors import RecallTooLow
from searchsocket.models.embedders import unkept_embedder
from searchsocket.models.embedders.base import Embedder, is_uncached
from searchsocket.models.embedders.cache import EmbeddingCache
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.stage import raise_if_stopped
from searchsocket.project.settings.model import VectorSettings
from searchsocket.project.settings.section import IndexParameters
from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.stores.base.vectors import Finding
from searchsocket.types import Generation, Hit, Recall, Record, Scope, Vectors

_MIN_QUERIES, _MAX_QUERIES = 10, 100
_RECORDS_PER_QUERY = 20  # between these bounds; the servers compare all vectors of a small site anyway
_NEAREST = 10
_MAX_QUERY_S = 60.0  # for all queries; a server that needs longer is asked fewer
_BATCH = 2_000  # records and vectors in memory at a time
_MARGIN = 1e-5  # far above the rounding of scores
_CHANGED_SHARE = 0.01  # of the records; below it the last measurement still holds
RecordVectors = Callable[[Sequence[Record]], Vectors]


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


def vectors_of(records: Sequence[Record], embedder: Embedder, cache: EmbeddingCache) -> Vectors:
    """The vectors of some records, in their order; all records have the embedder's model.

    Returns:
        float32 of shape (len(records), dimensions).

    Raises:
        StateUnavailable: A vector is missing from the cache, or the cache cannot be read.
    """
    if is_uncached(embedder.model_id):
        return embedder.embed([embedded_text(record.page.title, record.chunk) for record in records], "passage")
    return cache.get([record.content_hash for record in records], embedder.model_id)


def recall_of(run: ScopeRun, candidate: IndexReader, live: Generation | None, changed_records: int) -> Recall | None:
    """The recall of a candidate; None if its vector index is exact.

    It is measured if the index has other parameters than the live one, or once one record in a hundred has changed.

    Args:
        changed_records: Written and deleted since the live generation.

    Raises:
        RecallTooLow: It is below `vector.min_recall`.
    """
    limits = candidate.vectors.limits
    if limits.is_exact:
        return None
    if live is not None and live.recall is not None and live.vector_index == limits.index:
        changed = live.recall.changed_records + changed_records
        if changed < _CHANGED_SHARE * candidate.generation.records:
            return replace(live.recall, changed_records=changed)
    top_k = run.project.settings.ranking.candidate_k
    with run.backends.open_cache(read_only=True) as cache:
        recall = measure_recall(
            candidate,
            lambda records: vectors_of(records, run.embedder, cache),
            top_k=min(max(top_k, _NEAREST + 1), limits.max_top_k or top_k),
            check=lambda: raise_if_stopped(run),
        )
    floor = run.project.settings.vector.min_recall
    if recall.recall10 < floor and not run.options.accept_quality_drop:
        advice = _advice(run.project.settings.vector, limits.index)
        name = candidate.generation.name
        raise RecallTooLow(run.scope.name, name, limits.index, recall.recall10, floor, advice)
    return recall


def recall_warnings(run: ScopeRun, generation: Generation) -> list[str]:
    """The warning that a generation was published although its recall is too low."""
    floor, recall = run.project.settings.vector.min_recall, generation.recall
    if recall is None or recall.recall10 >= floor:
        return []
    return [f"recall@10 of the vector index ({generation.vector_index}) is {recall.recall10:.3f}, below {floor:g}"]


def measure_recall(
    reader: IndexReader,
    vectors: RecordVectors,
    *,
    top_k: int,
    check: Callable[[], object] = lambda: None,
    clock: Callable[[], float] = time.monotonic,
) -> Recall:
    """Ask a generation for the neighbours of some of its records, and compare them with the nearest of all records.

    The same records always give the same queries. A record is no neighbour of itself.

    Args:
        vectors: The vectors of records, from anywhere but the index.
        top_k: Results of each query; the first ten others count.
        check: Called between requests and batches; raises to end the measurement.
    """
    # Ids are hashes, so the first ones are as random as any.
    count = min(max(_MIN_QUERIES, reader.generation.records // _RECORDS_PER_QUERY), _MAX_QUERIES)
    queries = next(_visible_batches(reader, count), [])
    if not queries:
        return Recall(1.0, 0)
    query_vectors = vectors(queries)
    answers: list[list[Hit]] = []
    deadline = clock() + _MAX_QUERY_S
    for record, vector in zip(queries, query_vectors, strict=True):
        check()
        hits = reader.vectors.nearest(vector, top_k=top_k)
        answers.append([hit for hit in hits if hit.id != record.id][:_NEAREST])
        if clock() >= deadline:
            break
    own_ids = [record.id for record in queries[: len(answers)]]
    best = np.full((len(answers), _NEAREST), -np.inf, np.float32)  # cosines of the nearest others, in no order
    for records in _visible_batches(reader, _BATCH):
        check()
        scores = query_vectors[: len(answers)] @ vectors(records).T
        column_of = {record.id: column for column, record in enumerate(records)}
        for query, own_id in enumerate(own_ids):
            if own_id in column_of:
                scores[query, column_of[own_id]] = -np.inf
        best = np.partition(np.concatenate([best, scores], axis=1), -_NEAREST, axis=1)[:, -_NEAREST:]
    shares = [_share(hits, nearest) for hits, nearest in zip(answers, best, strict=True)]
    return Recall(round(float(np.mean(shares)), 4), len(answers))


def _share(hits: Sequence[Hit], nearest: Vectors) -> float:
    """The share of the nearest records that is among the hits; records that score alike count as each other."""
    nearest = nearest[np.isfinite(nearest)]
    if not len(nearest):
        return 1.0
    threshold = float(nearest.min()) - _MARGIN
    return sum(hit.score >= threshold for hit in hits) / len(nearest)


def _visible_batches(reader: IndexReader, size: int) -> Iterator[list[Record]]:
    """The records that a query may return, by id, about `size` at a time."""
    after = ""
    while ids := [record_id for record_id, _ in reader.catalogue.fingerprints(after, size)]:
        if visible := [record for record in reader.catalogue.records(ids) if record.page.weight > 0]:
            yield visible
        after = ids[-1]


def _advice(settings: VectorSettings, index: str) -> str:
    """The setting that makes an index return more of the nearest records."""
    kind = index.split(" ")[0]
    parameters = getattr(getattr(settings, settings.provider, None), kind, None)
    if not isinstance(parameters, IndexParameters):
        return "the vector store has no setting for it"
    key, value = parameters.effort, getattr(parameters, parameters.effort)
    return f"raise vector.{settings.provider}.{kind}.{key} above {value}"
