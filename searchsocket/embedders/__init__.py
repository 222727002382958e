"""How texts become vectors: one file per embedder, and the one way to make the configured one."""

from collections.abc import Mapping
from pathlib import Path

from searchsocket.embedders.base import Embedder
from searchsocket.embedders.cost import price_of
from searchsocket.settings.model import EmbeddingSettings


def make_embedder(settings: EmbeddingSettings, environ: Mapping[str, str], *, calls: bool = True) -> Embedder:
    """The configured embedder. Heavy clients are imported here, when their provider is chosen.

    Args:
        environ: Where keys are read; it is read nowhere else.
        calls: False where it only counts and names, as for a plan, which needs no key.

    Raises:
        ConfigMissing: A library, a key or a file of the model is not there.
        ConfigError: The model cannot be used.
    """
    match settings.provider:
        case "builtin":
            from searchsocket.embedders.builtin import BuiltinEmbedder

            return BuiltinEmbedder()
        case "onnx":
            from searchsocket.embedders.onnx import DEFAULT_MODEL, find_model, load_model

            return load_model(find_model(settings.model or DEFAULT_MODEL, Path.cwd()))
        case "hash":
            from searchsocket.embedders.hash import MODEL_ID, HashEmbedder

            return HashEmbedder(price_of(MODEL_ID, settings.price_per_million_tokens_usd))
        case "openai":
            from searchsocket.embedders.openai import make_openai

            return make_openai(settings, environ, calls=calls)
