"""Looking after vectors on another machine: what is wrong with them, and writing them again from the cache."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from searchsocket.embedders import unkept_embedder
from searchsocket.errors import ScopeNotIndexed
from searchsocket.pipeline.run.vectors import vectors_of
from searchsocket.project.backends import Backends
from searchsocket.stores.base.drift import KnownVectors, Resynced
from searchsocket.stores.base.upkeep import Finding
from searchsocket.types import Record, Scope, Vector


@contextmanager
def cached_vectors(backends: Backends) -> Iterator[KnownVectors]:
    """The vectors of records, as far as the embedding cache has them."""
    with backends.open_cache(read_only=True) as cache:

        def known(records: Sequence[Record]) -> Mapping[str, Vector]:
            found: dict[str, Vector] = {}
            for model_id in {record.model_id for record in records}:
                there = [record for record in records if record.model_id == model_id]
                if (embedder := unkept_embedder(model_id)) is not None:
                    vectors = vectors_of(there, embedder, cache)
                else:
                    lacking = set(cache.missing([record.content_hash for record in there], model_id))
                    there = [record for record in there if record.content_hash not in lacking]
                    vectors = cache.get([record.content_hash for record in there], model_id)
                found |= {record.id: vector for record, vector in zip(there, vectors, strict=True)}
            return found

        yield known


def findings(backends: Backends, scopes: Iterable[Scope]) -> Iterator[Finding]:
    """What is wrong with the vectors of scopes where they are elsewhere; reads all of their rows.

    Raises:
        VectorBackendUnavailable: They cannot be reached.
    """
    store = backends.store
    if store.elsewhere is None:
        return
    yield from store.elsewhere.examine()
    with cached_vectors(backends) as known:
        for scope in scopes:
            try:
                drift = store.drift(scope, known)
            except ScopeNotIndexed:
                continue
            if drift:
                what = f"of the vectors of scope {scope.name!r}, {drift}"
                yield Finding(what, f"run `searchsocket index --resync --scope {scope.name}`")


def resync(backends: Backends, scope: Scope) -> list[str]:
    """Make the rows of a scope those of its index again; nothing is embedded.

    Returns:
        What was wrong, for the run's report; empty where nothing was, or the vectors are not elsewhere.

    Raises:
        VectorBackendUnavailable, ProjectMismatch: They cannot be written.
    """
    with cached_vectors(backends) as known:
        return _report(backends.store.resync(scope, known))


def _report(done: Resynced) -> list[str]:
    counts = {"written again": done.written, "deleted, being wrong or of something else": done.deleted}
    lines = [f"{problem}; it was made again" for problem in done.problems]
    lines += [f"{number:,} rows of the vector store were {what}" for what, number in counts.items() if number]
    if done.lacking:
        lines.append(
            f"the vectors of {done.lacking:,} records are not in the embedding cache; run `searchsocket index --force` "
            "to embed these again"
        )
    return lines
