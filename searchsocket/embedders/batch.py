"""Embedding what the cache lacks: first the bill, then batch by batch (spec 10.5, 11, 21)."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

import tenacity

from searchsocket.embedders.base import Embedder
from searchsocket.embedders.cache import EmbeddingCache
from searchsocket.embedders.checks import checked
from searchsocket.embedders.cost import estimate
from searchsocket.errors import BudgetExceeded, SearchSocketError
from searchsocket.system.batches import batches
from searchsocket.types import Vectors

OnProgress = Callable[[int, int], None]  # texts embedded so far, texts to embed
TextsAt = Callable[[Sequence[int]], Sequence[str]]  # places -> their texts, in that order

_LOOKUP = 500  # texts that the cache is asked for at once
_BATCHES_SORTED = 8  # batches whose texts are sorted by length together, so that a model pads little
_PLAN_CACHE_KIB = 8_192  # of the plan in memory; the rest of it is in a temporary file
_ATTEMPTS = 8  # within about a minute, as long as a provider takes to start anew
_retried = tenacity.retry_if_exception(lambda error: isinstance(error, SearchSocketError) and error.retryable)
_backoff = tenacity.wait_exponential(multiplier=0.5, max=20)


class Wanted(Protocol):
    """A text that must have its vector."""

    @property
    def content_hash(self) -> str: ...
    @property
    def tokens(self) -> int:
        """As the embedder counts them."""

    @property
    def place(self) -> int:
        """Where the text can be read; texts are read by rising place."""


@dataclass(frozen=True, slots=True)
class EmbedOutcome:
    """What was embedded, or would be."""

    reused: int  # distinct texts that the cache held
    created: int  # distinct texts that were embedded
    tokens: int  # of the created ones, as the embedder counts
    cost_usd: float


def plan_missing(
    cache: EmbeddingCache,
    embedder: Embedder,
    wanted: Iterable[Wanted],
    *,
    price_per_million_tokens_usd: float | None = None,
) -> EmbedOutcome:
    """What `embed_missing` would do; calls nothing."""
    with closing(_Plan()) as plan:
        plan.fill(cache, embedder, wanted)
        return _outcome(embedder, plan.reused, plan.created, plan.tokens, price_per_million_tokens_usd)


def embed_missing(
    cache: EmbeddingCache,
    embedder: Embedder,
    wanted: Iterable[Wanted],
    texts_at: TextsAt,
    *,
    batch_size: int,
    max_cost_usd: float | None = None,
    price_per_million_tokens_usd: float | None = None,
    on_progress: OnProgress = lambda done, total: None,
    sleep: Callable[[float], None] = tenacity.nap.sleep,
) -> EmbedOutcome:
    """Embed every text that the cache lacks, each distinct one once, and store batch by batch.

    First the bill is made, without any text; then the texts are read, a few batches at a time. Nothing that grows
    with their number is held in memory. Each batch is committed by itself: a run that is killed resumes behind its
    last batch.

    Args:
        wanted: The texts; equal ones should be neighbours.
        texts_at: Reads texts.
        batch_size: Texts in one call of the embedder.
        max_cost_usd: Budget for this call; None = no limit.
        price_per_million_tokens_usd: Overrides the embedder's price.
        on_progress: Called after each batch with the texts embedded so far and in all.
        sleep: Waits between attempts, in seconds.

    Raises:
        BudgetExceeded: The estimate is over the budget; the embedder was not called.
        BadVectors: The embedder gave vectors that cannot be used; nothing of that batch is stored.
        EmbedderUnavailable: The provider failed eight times in a row; earlier batches are stored.
        StateUnavailable: The cache cannot be written.
    """
    with closing(_Plan()) as plan:
        plan.fill(cache, embedder, wanted)
        outcome = _outcome(embedder, plan.reused, plan.created, plan.tokens, price_per_million_tokens_usd)
        if max_cost_usd is not None and outcome.cost_usd > max_cost_usd:
            raise BudgetExceeded(outcome.cost_usd, max_cost_usd)
        attempts = tenacity.Retrying(
            retry=_retried, stop=tenacity.stop_after_attempt(_ATTEMPTS), wait=_backoff, sleep=sleep, reraise=True
        )
        done = 0
        for batch in _batches(plan.items(), texts_at, batch_size):
            vectors = attempts(_embed, embedder, [item.text for item in batch])
            cache.put([item.key for item in batch], vectors, [item.tokens for item in batch], embedder.model_id)
            done += len(batch)
            on_progress(done, plan.created)
        return outcome


class _Plan:
    """The distinct texts that the cache lacks, in a private file that SQLite makes when they outgrow its memory."""

    def __init__(self) -> None:
        self.reused = self.created = self.tokens = 0
        self._db = sqlite3.connect("", isolation_level=None)
        self._db.execute("PRAGMA journal_mode = OFF")
        self._db.execute(f"PRAGMA cache_size = -{_PLAN_CACHE_KIB}")
        self._db.execute("CREATE TABLE texts (hash BLOB PRIMARY KEY, tokens INTEGER, place INTEGER) WITHOUT ROWID")

    def close(self) -> None:
        self._db.close()

    def fill(self, cache: EmbeddingCache, embedder: Embedder, wanted: Iterable[Wanted]) -> None:
        """Ask the cache for all of them."""
        self._db.execute("BEGIN")
        for window in batches(wanted, _LOOKUP):
            distinct = {item.content_hash: item for item in window}
            missing = cache.missing(distinct, embedder.model_id)
            self.reused += len(distinct) - len(missing)
            self._db.executemany(
                "INSERT OR IGNORE INTO texts VALUES (?, ?, ?)",
                [(bytes.fromhex(key), distinct[key].tokens, distinct[key].place) for key in missing],
            )
        self._db.execute("COMMIT")
        self.created, self.tokens = self._db.execute("SELECT COUNT(*), COALESCE(SUM(tokens), 0) FROM texts").fetchone()

    def items(self) -> Iterator[tuple[bytes, int, int]]:
        """(hash, tokens, place) by rising place."""
        yield from self._db.execute("SELECT hash, tokens, place FROM texts ORDER BY place")


@dataclass(frozen=True, slots=True)
class _Item:
    key: str
    tokens: int
    text: str


def _batches(rows: Iterator[tuple[bytes, int, int]], texts_at: TextsAt, size: int) -> Iterator[Sequence[_Item]]:
    # Vectors do not depend on their batch, so the order is free; the hash makes it the same on every run.
    while window := list(islice(rows, size * _BATCHES_SORTED)):
        texts = texts_at([place for _, _, place in window])
        items = [_Item(key.hex(), tokens, text) for (key, tokens, _), text in zip(window, texts, strict=True)]
        items.sort(key=lambda item: (len(item.text), item.key))
        for at in range(0, len(items), size):
            yield items[at : at + size]


def _embed(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    return checked(embedder.embed(texts, "passage"), len(texts), embedder.dimensions, embedder.model_id)


def _outcome(embedder: Embedder, reused: int, created: int, tokens: int, price: float | None) -> EmbedOutcome:
    price = embedder.price_per_million_tokens_usd if price is None else price
    return EmbedOutcome(reused, created, tokens, estimate(tokens, price))
