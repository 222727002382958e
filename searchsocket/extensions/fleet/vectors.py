"""Vectors that other machines have computed, for the stage that embeds."""

from collections.abc import Callable

from searchsocket.extensions.fleet.settings import artifacts_of
from searchsocket.models.embedders.base import is_uncached
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.hooks import SharedVectors

SHARED_KEYS = "shared-embeddings"  # folder beside the local cache: copies of keys


def shared_vectors(run: ScopeRun, on_problem: Callable[[str], object]) -> SharedVectors | None:
    """The cache that other machines share; None without one, or if the model's vectors are not cached."""
    own, model_id = run.project.settings.embeddings.cache_url, run.embedder.model_id
    url, setting = (own, "embeddings.cache_url") if own else (artifacts_of(run.project).embeddings_url, "artifacts.url")
    if not url or is_uncached(model_id):
        return None
    from searchsocket.extensions.fleet.objects import open_objects  # few projects have one
    from searchsocket.extensions.fleet.shared_cache import SharedCache

    folder = run.backends.cache_file.with_name(SHARED_KEYS)
    return SharedCache(open_objects(url, setting), folder, model_id, on_problem)
