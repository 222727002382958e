"""Rerankers: one file per reranker, and a function that creates the configured one (spec 13.2)."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from searchsocket.errors import ConfigError, SearchSocketError
from searchsocket.models.paying.ledger import Ledger
from searchsocket.models.rerankers.base import ModelDeprecated, Reranker, Usage
from searchsocket.models.rerankers.judge import Judge

if TYPE_CHECKING:
    from searchsocket.project.settings.features import RerankSettings


def make_judge(
    settings: "RerankSettings",
    environ: Mapping[str, str],
    *,
    clock: Callable[[], datetime],
    on_error: Callable[[BaseException], None],
    prepare: Callable[[str], str] = lambda text: text,
    ledger: Ledger | None = None,
) -> Judge:
    """Create the configured reranker for queries, see `Judge`.

    Args:
        ledger: Records payments; None = they are not recorded.

    Raises:
        ConfigMissing, ConfigError: As `make_reranker`.
    """

    def note(usage: Usage) -> None:
        if ledger is None or not usage.tokens:
            return
        try:
            ledger.add("reranking", usage.model_id, tokens=usage.tokens, cost_usd=usage.cost_usd)
        except SearchSocketError as error:  # the query is answered anyway
            on_error(error)

    reranker = make_reranker(settings, environ)
    judge = Judge(reranker, settings, prepare=prepare, clock=clock, on_error=on_error, on_usage=note)
    if deprecated := deprecation(settings):
        on_error(deprecated)
    return judge


def deprecation(settings: "RerankSettings") -> ModelDeprecated | None:
    """Return the warning about a deprecated model, if its vendor has a newer one."""
    if settings.provider != "jina":
        return None
    from searchsocket.models.rerankers.jina import DEPRECATED

    successor = DEPRECATED.get(settings.jina.model)
    return ModelDeprecated("rerank.jina.model", settings.jina.model, successor) if successor else None


def make_reranker(settings: "RerankSettings", environ: Mapping[str, str]) -> Reranker:
    """Create the configured reranker. Only the library of its provider is imported.

    Args:
        environ: Environment with the keys.

    Raises:
        ConfigMissing: A library, a key or a file of the model is missing.
        ConfigError: No reranker is configured, or its model or address cannot be used.
    """
    match settings.provider:
        case "none":
            raise ConfigError("no reranker is configured; set rerank.provider")
        case "jina":
            from searchsocket.models.rerankers.jina import make_jina

            return make_jina(settings, environ)
