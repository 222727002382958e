"""Embedders: one file per embedder, and a function that creates the configured one."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from searchsocket.models.embedders.base import Embedder, is_uncached
from searchsocket.models.embedders.openai_key import MODEL_ID_PREFIX, has_key
from searchsocket.models.paying.cost import price_of

if TYPE_CHECKING:
    from searchsocket.project.settings.model import EmbeddingSettings


def make_embedder(
    settings: "EmbeddingSettings", environ: Mapping[str, str], *, recorded: str = "", calls: bool = True
) -> Embedder:
    """Create the configured embedder. Only the client of its provider is imported.

    Args:
        environ: Environment with the keys.
        recorded: Model id of the scope's index; "" = the scope is not indexed yet.
        calls: False if nothing is embedded, as for a plan, which needs no key.

    Raises:
        ConfigMissing: A library, a key or a file of the model is missing.
        ConfigError: The model cannot be used.
    """
    match resolved_provider(settings, environ, recorded):
        case "builtin":
            from searchsocket.models.embedders.builtin import BuiltinEmbedder

            return BuiltinEmbedder()
        case "onnx":
            from searchsocket.models.embedders.onnx import DEFAULT_MODEL, find_model, load_model

            return load_model(find_model(settings.model or DEFAULT_MODEL, Path.cwd()))
        case "hash":
            from searchsocket.models.embedders.hash import MODEL_ID, HashEmbedder

            return HashEmbedder(price_of(MODEL_ID, settings.price_per_million_tokens_usd))
        case "openai":
            from searchsocket.models.embedders.openai import make_openai

            return make_openai(settings, environ, calls=calls)
        case name:
            from searchsocket.models.embedders.installed import make_installed

            return make_installed(name, settings, environ)


def unkept_embedder(model_id: str) -> Embedder | None:
    """Return the embedder of a model without cached vectors (see `is_uncached`); None for other models."""
    if not is_uncached(model_id):
        return None
    from searchsocket.models.embedders.builtin import BuiltinEmbedder

    embedder = BuiltinEmbedder()
    return embedder if embedder.model_id == model_id else None


def resolved_provider(settings: "EmbeddingSettings", environ: Mapping[str, str], recorded: str) -> str:
    """Return the provider that the settings choose.

    `auto` is the provider of the scope's index, even if keys change. For a first index it is `openai` with a key,
    else `builtin`.
    """
    if settings.provider != "auto":
        return settings.provider
    is_remote = recorded.startswith(MODEL_ID_PREFIX) if recorded else has_key(settings, environ)
    return "openai" if is_remote else "builtin"
