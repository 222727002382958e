"""Assumptions of a plan about what it does not read."""

from collections.abc import Iterator

from searchsocket.errors import ConfigMissing
from searchsocket.models.embedders import resolved_provider
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.stores import make_vectors


def assumptions(run: ScopeRun) -> Iterator[str]:
    """Yield a sentence for each thing that a plan takes for granted and a real run finds out."""
    settings = run.project.settings
    live = run.backends.store.generation(run.scope)
    if settings.vector.provider != "local":
        try:
            make_vectors(settings.vector, run.project.id, run.environ)
            reason = f"a plan does not read {settings.vector.provider}"
        except ConfigMissing as error:
            reason = str(error)
        known = (
            f"its records are those of generation {live.name}" if live else "it is empty, as this folder has no index"
        )
        yield f"assumed: {reason}; for this plan {known}"
    if settings.embeddings.provider == "auto" and live is None:
        from searchsocket.models.embedders.openai import key_variable  # brings an HTTP client, which few runs need

        provider = resolved_provider(settings.embeddings, run.environ, "")
        why = "a key is set" if provider == "openai" else f"${key_variable(settings.embeddings)} is not set"
        yield f"assumed: embeddings.provider is auto and {why}, so this plan counts the cost of {provider}"
