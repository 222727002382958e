"""Take vectors from published scopes instead of embedding again, if the cache of this machine lacks them."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

from searchsocket.errors import SearchSocketError
from searchsocket.models.embedders.cache import EmbeddingCache
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.state import ScopeState
from searchsocket.state.records import TextToEmbed
from searchsocket.system.batches import batches
from searchsocket.types import Generation, Vectors

_BATCH = 500


def take_published_vectors(
    run: ScopeRun, state: ScopeState, cache: EmbeddingCache, texts: Iterator[TextToEmbed], model_id: str
) -> int:
    """Copy vectors of texts that the cache lacks from scopes published here, then from the object store.

    A machine that continues another machine's index, or that lost its cache, has indexes without their cache.

    Args:
        texts: The texts whose vectors the run needs.

    Returns:
        The number of copied vectors.
    """
    tokens = {text.content_hash: text.tokens for text in texts}
    missing = set(cache.missing(tokens, model_id))
    count = len(missing)
    # Damaged, unreachable or incompatible generations are skipped: texts that no scope has are embedded.
    for live in _local_generations(run, state) if missing else ():
        with suppress(SearchSocketError):
            for hashes, vectors in _vectors_of(run, state, live, missing) if live.model_id == model_id else ():
                cache.put(hashes, vectors, [tokens[each] for each in hashes], model_id)
                missing.difference_update(hashes)
        if not missing:
            break
    if missing and run.project.settings.artifacts.url:
        # This import also loads the word search engine.
        from searchsocket.stores.artifacts.published_texts import find_published_vectors

        with suppress(SearchSocketError):
            for hashes, vectors in find_published_vectors(run.project, run.environ, missing, model_id):
                with suppress(SearchSocketError):
                    cache.put(hashes, vectors, [tokens[each] for each in hashes], model_id)
                    missing.difference_update(hashes)
    return count - len(missing)


def _local_generations(run: ScopeRun, state: ScopeState) -> Iterator[Generation]:
    """The live generations of this machine: of this scope, of its origin, then of the others by name."""
    store, first = run.backends.store, [run.scope.name, state.origin.name()]
    for name in filter(None, first):
        with suppress(SearchSocketError):
            if live := store.generation(replace(run.scope, name=name)):
                yield live
    with suppress(SearchSocketError):
        yield from [live for live in store.list_scopes() if live.scope not in first]


def _vectors_of(
    run: ScopeRun, state: ScopeState, live: Generation, missing: set[str]
) -> Iterator[tuple[list[str], Vectors]]:
    """Hashes of missing texts that a generation of this machine has, with their vectors; in batches.

    Raises:
        SearchSocketError: The generation cannot be used.
    """
    published = replace(state.published, scope=live.scope)
    if published.is_of(live):
        own = live.scope == run.scope.name
        ids = [change.id for change in published.changes() if change.live is not None] if own else []
        ids += published.unchanged_ids(sorted(missing))
    else:  # the state is of another generation, such as one that was pulled
        ids = [id_ for id_, _ in run.backends.store.fingerprints(replace(run.scope, name=live.scope))]
    if not ids:
        return
    reader = run.backends.store.reader(replace(run.scope, name=live.scope))
    for some in batches(ids, _BATCH):
        if not missing:
            return
        records = {record.content_hash: record.id for record in reader.catalogue.records(some)}
        if hashes := [content_hash for content_hash in records if content_hash in missing]:
            yield hashes, reader.vectors.vectors_of([records[each] for each in hashes])
