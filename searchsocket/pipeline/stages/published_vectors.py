"""Take vectors from the index instead of embedding again, where the cache of this machine lacks them."""

from collections.abc import Iterator
from dataclasses import replace

from searchsocket.errors import SearchSocketError
from searchsocket.models.embedders.cache import EmbeddingCache
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.state import ScopeState
from searchsocket.state.records import TextToEmbed
from searchsocket.stores.base import IndexReader
from searchsocket.system.batches import batches

_BATCH = 500


def take_published_vectors(
    run: ScopeRun, state: ScopeState, cache: EmbeddingCache, texts: Iterator[TextToEmbed], model_id: str
) -> int:
    """Copy vectors of texts that the cache lacks from the live generation, or from that of the scope's origin.

    A machine that continues the index of another one has that index, and not its cache.

    Args:
        texts: Whose vectors the run needs.

    Returns:
        The number of copied vectors.
    """
    tokens = {text.content_hash: text.tokens for text in texts}
    missing = set(cache.missing(tokens, model_id))
    if not missing:
        return 0
    scope = run.scope
    copied = 0
    try:
        if run.backends.store.generation(scope) is None and (origin := state.origin.name()):
            scope = replace(scope, name=origin)
        if run.backends.store.generation(scope) is None:
            return 0
        reader = run.backends.store.reader(scope)
        if reader.generation.model_id != model_id:
            return 0
        for ids in batches(_candidates(run, state, cache, reader), _BATCH):
            records = {record.content_hash: record for record in reader.catalogue.records(ids)}
            wanted = [record for content_hash, record in records.items() if content_hash in missing]
            hashes = [record.content_hash for record in wanted]
            vectors = reader.vectors.vectors_of([record.id for record in wanted])
            cache.put(hashes, vectors, [tokens[each] for each in hashes], model_id)
            missing.difference_update(hashes)
            copied += len(hashes)
            if not missing:
                break
    except SearchSocketError:  # damaged, or of another version: what is not here is embedded
        return copied
    return copied


def _candidates(run: ScopeRun, state: ScopeState, cache: EmbeddingCache, reader: IndexReader) -> Iterator[str]:
    """Ids of live records that may have such a text: those of changed chunks, or all where the cache is smaller."""
    if reader.generation.scope == run.scope.name and state.published.is_of(reader.generation):
        yield from (change.id for change in state.published.changes() if change.live is not None)
    elif cache.size() < reader.generation.records:
        scope = replace(run.scope, name=reader.generation.scope)
        yield from (record_id for record_id, _ in run.backends.store.fingerprints(scope))
