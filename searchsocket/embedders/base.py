"""The seam where texts become vectors."""

from collections.abc import Sequence
from typing import Literal, Protocol

from searchsocket.types import Vectors

TextKind = Literal["passage", "query"]


class Embedder(Protocol):
    """Turns texts into unit vectors; equal texts give equal vectors, whatever batch they come in."""

    model_id: str  # names provider, model and a digest of its weights, e.g. `hash-512-v1`
    dimensions: int
    max_tokens: int  # longer texts are truncated by the model
    price_per_million_tokens_usd: float  # 0.0 for local models
    is_instant: bool  # a query takes far less than a millisecond and waits for nobody

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        """Embed texts in order.

        Returns:
            float32 of shape (len(texts), dimensions), finite, each row of unit length.

        Raises:
            EmbedderUnavailable: The provider could not answer; safe to retry.
        """

    def count_tokens(self, text: str) -> int:
        """Tokens of `text` as the model counts them; an estimate where the model cannot say."""
