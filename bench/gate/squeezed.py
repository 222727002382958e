"""A third model with another distribution: the built-in one times a random matrix, shifted in one direction.

All its cosines are between 0.6 and 1, as with some well-known models, so the thresholds of another model do not fit
it.
"""

from collections.abc import Sequence

import numpy as np

from searchsocket.models.embedders.base import TextKind
from searchsocket.models.embedders.builtin import BuiltinEmbedder
from searchsocket.types import Vectors

_DIMENSIONS = 128
_PUSH = 1.5  # beside vectors of length 1


class Squeezed:
    """Implements `Embedder`."""

    model_id, dimensions = f"squeezed-{_DIMENSIONS}", _DIMENSIONS
    limits, tolerance, price_per_million_tokens_usd = BuiltinEmbedder.limits, 0.0, 0.0
    is_instant, is_remote = True, False

    def __init__(self) -> None:
        self._inner = BuiltinEmbedder()
        random = np.random.default_rng(7)
        self._matrix = random.standard_normal((self._inner.dimensions, _DIMENSIONS)) / np.sqrt(_DIMENSIONS)
        push = random.standard_normal(_DIMENSIONS)
        self._push = push * _PUSH / np.linalg.norm(push)

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        """See `Embedder.embed`."""
        pushed = self._inner.embed(texts, kind) @ self._matrix + self._push
        unit: Vectors = (pushed / np.linalg.norm(pushed, axis=1, keepdims=True)).astype(np.float32)
        return unit

    def count_tokens(self, text: str) -> int:
        """See `Embedder.count_tokens`."""
        return self._inner.count_tokens(text)
