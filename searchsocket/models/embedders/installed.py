"""Embedders of other packages, by the entry points `searchsocket.embedders` (spec 11.1)."""

from collections.abc import Mapping, Sequence
from typing import get_args

from searchsocket.errors import ConfigError, EmbedderRefused, SearchSocketError
from searchsocket.models.embedders.base import Embedder, Limits, TextKind
from searchsocket.project.settings.model import EmbeddingProvider, EmbeddingSettings
from searchsocket.system.plugins import find_plugin, make_plugin
from searchsocket.types import Vectors

GROUP = "searchsocket.embedders"
_PARTS = {
    "model_id": str, "dimensions": int, "limits": Limits, "tolerance": float, "price_per_million_tokens_usd": float,
    "is_instant": bool, "is_remote": bool,
}  # fmt: skip


def make_installed(name: str, settings: EmbeddingSettings, environ: Mapping[str, str]) -> Embedder:
    """Create an embedder from the entry point with this name.

    Raises:
        ConfigMissing: No installed package has this entry point, or the embedder reports that something is missing.
        ConfigError: The entry point cannot be loaded, or does not return an embedder.
    """
    embedder = _load(name, settings, environ)
    for part, kind in _PARTS.items():
        value = getattr(embedder, part, None)
        if not isinstance(value, kind) and not (kind is float and type(value) is int):
            raise ConfigError(f"the embedder {name!r} must have {part}, of type {kind.__name__}")
    if not (embedder.model_id == name or embedder.model_id.startswith(f"{name}-")):
        raise ConfigError(f"the embedder {name!r} has the model id {embedder.model_id!r}; it must start with `{name}-`")
    return _GuardedEmbedder(name, embedder)


def _load(name: str, settings: EmbeddingSettings, environ: Mapping[str, str]) -> Embedder:
    built_in = ", ".join(get_args(EmbeddingProvider))
    point = find_plugin(GROUP, name, "embeddings.provider", built_in)
    embedder: Embedder = make_plugin(point, lambda point: point.load()(settings, environ), "the embedder")
    return embedder


class _GuardedEmbedder:
    """Converts unexpected errors of an embedder, so that a run names it and a query falls back to words."""

    def __init__(self, name: str, embedder: Embedder) -> None:
        self._name = name
        self._embedder = embedder
        self.model_id, self.dimensions, self.limits = embedder.model_id, embedder.dimensions, embedder.limits
        self.tolerance = embedder.tolerance
        self.price_per_million_tokens_usd = embedder.price_per_million_tokens_usd
        self.is_instant, self.is_remote = embedder.is_instant, embedder.is_remote

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        """Return one unit vector per text, in their order."""
        try:
            return self._embedder.embed(texts, kind)
        except SearchSocketError:
            raise
        except Exception as error:  # noqa: BLE001  (of another package)
            problem = type(error).__name__
        raise EmbedderRefused(
            f"the embedder {self._name!r} failed ({problem})"
        )  # raised outside the handler: a cause may contain a key

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens of a text, counted or estimated."""
        return self._embedder.count_tokens(text)
