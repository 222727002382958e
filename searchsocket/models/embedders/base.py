"""Embedder interface: turn texts into vectors."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from searchsocket.types import Vectors

TextKind = Literal["passage", "query"]
UNBOUNDED = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one call to an embedder; tokens as the embedder counts them."""

    texts: int = UNBOUNDED
    tokens_a_text: int = UNBOUNDED  # of a longer text the rest is cut off
    tokens: int = UNBOUNDED  # of all texts together


class Embedder(Protocol):
    """Turns texts into unit vectors; safe to share between threads.

    Equal texts give vectors that are equal within `tolerance`, whatever batch they come in.
    """

    model_id: str  # names provider, model and a digest of its weights or its size, e.g. `hash-512-v1`
    dimensions: int
    limits: Limits
    tolerance: float  # by how much a component may differ between two calls; 0.0 = equal to the bit
    price_per_million_tokens_usd: float  # 0.0 for local models
    is_instant: bool  # a query takes far less than a millisecond and waits for nobody
    is_remote: bool  # a call waits for another machine: it may hang, fail and cost, and several may be under way

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        """Embed texts in order; the caller keeps to `limits`, but for `tokens_a_text`.

        Returns:
            float32 of shape (len(texts), dimensions), finite, each row of unit length.

        Raises:
            EmbedderUnavailable: The provider could not answer; safe to retry.
            EmbedderRefused: The provider will not answer until somebody changes something: key, quota, model.
            BadVectors: The provider answered with what cannot be the vectors of these texts.
        """

    def count_tokens(self, text: str) -> int:
        """Tokens of `text` as the model counts them; an estimate where the model cannot say."""


BUILTIN = "builtin-"  # begins the name of each version of the model inside the package


def is_unkept(model_id: str) -> bool:
    """Return True if vectors of the model are computed when needed, because storing them would cost more.

    Of such a model the cache holds which texts were embedded, so that runs tell new ones, and no vector.
    """
    return model_id.startswith(BUILTIN)


@runtime_checkable
class Paced(Protocol):
    """Optional interface of an embedder whose provider reports its remaining rate limit."""

    def wait_s(self, tokens: int) -> float:
        """Seconds until a call of so many tokens will be taken; with 0.0 it counts as made."""


@runtime_checkable
class Charging(Protocol):
    """Optional interface of an embedder whose provider reports its charges."""

    def charged_tokens(self) -> int:
        """Tokens that were charged since this was asked last, also for answers that were of no use."""


def charged_tokens(embedder: Embedder) -> int | None:
    """See `Charging`; None where nobody says."""
    return embedder.charged_tokens() if isinstance(embedder, Charging) else None
