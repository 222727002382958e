"""Embedder interface: turn texts into vectors; and the checks of what it returns."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from searchsocket.errors import BadVectors
from searchsocket.types import Vectors

TextKind = Literal["passage", "query"]
UNBOUNDED = 2**31 - 1
_UNIT_TOLERANCE = 1e-3


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one call to an embedder; tokens as the embedder counts them."""

    texts: int = UNBOUNDED
    tokens_a_text: int = UNBOUNDED  # longer texts are truncated
    tokens: int = UNBOUNDED  # sum over all texts


class Embedder(Protocol):
    """Turns texts into unit vectors; safe to share between threads.

    Equal texts have vectors that are equal within `tolerance`, in any batch.
    """

    model_id: str  # names provider, model and a digest of its weights or its size, e.g. `hash-512-v1`
    dimensions: int
    limits: Limits
    tolerance: float  # largest difference of a component between two calls; 0.0 = bit-identical
    price_per_million_tokens_usd: float  # 0.0 for local models
    is_instant: bool  # a query takes far less than a millisecond
    is_remote: bool  # calls another machine: may hang, fail and cost money, and may run concurrently

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        """Embed texts in order; callers respect `limits` except `tokens_a_text`.

        Returns:
            float32 of shape (len(texts), dimensions), finite, each row of unit length.

        Raises:
            EmbedderUnavailable: The provider could not answer; safe to retry.
            EmbedderRefused: The provider refuses requests until the key, the quota or the model is changed.
            BadVectors: The answer cannot be the vectors of these texts.
        """

    def count_tokens(self, text: str) -> int:
        """Count the tokens of `text` as the model does; an estimate if the model cannot count them."""


BUILTIN = "builtin-"  # prefix of `model_id` for each version of the bundled model


def is_uncached(model_id: str) -> bool:
    """Return True if vectors of the model are computed when needed, because storing them would cost more.

    For such a model the cache stores which texts were embedded, so that runs recognise new ones, but no vectors.
    """
    return model_id.startswith(BUILTIN)


@runtime_checkable
class Paced(Protocol):
    """Optional interface of an embedder whose provider reports its remaining rate limit."""

    def wait_s(self, tokens: int) -> float:
        """Return the seconds until the provider accepts a call of so many tokens; 0.0 counts as a call."""


@runtime_checkable
class Charging(Protocol):
    """Optional interface of an embedder whose provider reports its charges."""

    def charged_tokens(self) -> int:
        """Return the tokens charged since the last call of this method, including those of invalid answers."""


def charged_tokens(embedder: Embedder) -> int | None:
    """Return the charged tokens (see `Charging`), or None if the embedder does not report them."""
    return embedder.charged_tokens() if isinstance(embedder, Charging) else None


def checked(vectors: NDArray[np.number], count: int, dimensions: int, origin: str) -> Vectors:
    """Return `vectors` as contiguous float32, if they are valid.

    Args:
        count: Required number of rows.
        dimensions: Required length of each row.
        origin: Name of the model that made them, for the message.

    Raises:
        BadVectors: Another shape, or a row that is not finite, zero or not of unit length.
    """
    if vectors.shape != (count, dimensions):
        raise BadVectors(f"{origin} returned vectors of shape {vectors.shape}, not {(count, dimensions)}")
    rows = np.ascontiguousarray(vectors, dtype=np.float32)
    if count == 1 and abs(float(np.dot(rows[0], rows[0])) - 1.0) <= _UNIT_TOLERANCE:
        return rows  # for queries: half of the tolerance, in a fifth of the time
    bad = bad_rows(rows)
    if bad.size:
        raise BadVectors(
            f"{origin} returned {bad.size} vectors that are zero, infinite or not of unit length (first: row {bad[0]})"
        )
    return rows


def bad_rows(rows: Vectors) -> NDArray[np.intp]:
    """Indices of the rows that are not finite or not of unit length."""
    with np.errstate(over="ignore", invalid="ignore"):
        norms = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
        return np.flatnonzero(~(np.abs(norms - 1.0) <= _UNIT_TOLERANCE))
