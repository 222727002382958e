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
        ConfigMissing: No installed package has it, or it says itself that something is missing.
        ConfigError: It cannot be loaded, or what it makes is no embedder.
    """
    made = _loaded(name, settings, environ)
    for part, kind in _PARTS.items():
        value = getattr(made, part, None)
        if not isinstance(value, kind) and not (kind is float and type(value) is int):
            raise ConfigError(f"the embedder {name!r} must have {part}, of type {kind.__name__}")
    if not (made.model_id == name or made.model_id.startswith(f"{name}-")):
        raise ConfigError(f"the embedder {name!r} has the model id {made.model_id!r}; it must start with `{name}-`")
    return _Guarded(name, made)


def _loaded(name: str, settings: EmbeddingSettings, environ: Mapping[str, str]) -> Embedder:
    built_in = ", ".join(get_args(EmbeddingProvider))
    point = find_plugin(GROUP, name, "embeddings.provider", built_in)
    made: Embedder = make_plugin(point, lambda point: point.load()(settings, environ), "the embedder")
    return made


class _Guarded:
    """An embedder whose defects are errors of ours, so that a run says who failed and a query goes on with words."""

    def __init__(self, name: str, made: Embedder) -> None:
        self._name = name
        self._loaded = made
        self.model_id, self.dimensions, self.limits = made.model_id, made.dimensions, made.limits
        self.tolerance = made.tolerance
        self.price_per_million_tokens_usd = made.price_per_million_tokens_usd
        self.is_instant, self.is_remote = made.is_instant, made.is_remote

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        """See `Embedder.embed`."""
        try:
            return self._loaded.embed(texts, kind)
        except SearchSocketError:
            raise
        except Exception as error:  # noqa: BLE001  (another package's)
            problem = type(error).__name__
        raise EmbedderRefused(
            f"the embedder {self._name!r} failed ({problem})"
        )  # outside the handler: a cause may contain a key

    def count_tokens(self, text: str) -> int:
        """See `Embedder.count_tokens`."""
        return self._loaded.count_tokens(text)
