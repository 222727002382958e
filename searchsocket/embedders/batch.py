"""Embedding what the cache lacks: first the bill, then batch by batch (spec 10.5, 11, 21)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import tenacity

from searchsocket.embedders.base import Embedder
from searchsocket.embedders.cache import EmbeddingCache
from searchsocket.embedders.checks import checked
from searchsocket.embedders.cost import estimate
from searchsocket.errors import BudgetExceeded, SearchSocketError
from searchsocket.types import Vectors

Item = tuple[str, str]  # (content hash, text)
OnProgress = Callable[[int, int], None]  # texts embedded so far, texts to embed

_LOOKUP = 500  # items whose texts are held at once while the plan is made
_BATCHES_SORTED = 8  # batches whose texts are sorted by length together, so that a model pads little
_ATTEMPTS = 5
_retried = tenacity.retry_if_exception(lambda error: isinstance(error, SearchSocketError) and error.retryable)
_backoff = tenacity.wait_exponential(multiplier=0.5, max=20)


@dataclass(frozen=True, slots=True)
class EmbedOutcome:
    """What was embedded, or would be."""

    reused: int  # distinct texts that the cache held
    created: int  # distinct texts that were embedded
    tokens: int  # of the created ones, as the embedder counts
    cost_usd: float


def plan_missing(
    embedder: Embedder, items: Iterable[Item], *, price_per_million_tokens_usd: float | None = None
) -> EmbedOutcome:
    """What embedding these texts would take; calls nothing. The caller passes only texts that the cache lacks."""
    tokens = {key: embedder.count_tokens(text) for key, text in _distinct(items)}
    return _outcome(embedder, 0, len(tokens), sum(tokens.values()), price_per_million_tokens_usd)


def embed_missing(
    cache: EmbeddingCache,
    embedder: Embedder,
    items: Callable[[], Iterable[Item]],
    *,
    batch_size: int,
    max_cost_usd: float | None = None,
    price_per_million_tokens_usd: float | None = None,
    on_progress: OnProgress = lambda done, total: None,
    sleep: Callable[[float], None] = tenacity.nap.sleep,
) -> EmbedOutcome:
    """Embed every text that the cache lacks, each distinct one once, and store batch by batch.

    `items` is called twice, so that no more than a few batches of texts are ever held: the first pass counts the
    tokens of what is missing, the second embeds exactly that. Each batch is committed by itself: a run that is
    killed resumes behind its last batch.

    Args:
        items: Gives (content hash, text) pairs; the same ones in both passes.
        batch_size: Texts in one call of the embedder.
        max_cost_usd: Budget for this call; None = no limit.
        price_per_million_tokens_usd: Overrides the embedder's price.
        on_progress: Called after each batch with the texts embedded so far and in all.
        sleep: Waits between attempts, in seconds.

    Raises:
        BudgetExceeded: The estimate is over the budget; the embedder was not called.
        BadVectors: The embedder gave vectors that cannot be used; nothing of that batch is stored.
        EmbedderUnavailable: The provider failed five times in a row; earlier batches are stored.
        StateUnavailable: The cache cannot be written.
    """
    reused, todo = _plan(cache, embedder, items())
    outcome = _outcome(embedder, reused, len(todo), sum(todo.values()), price_per_million_tokens_usd)
    if max_cost_usd is not None and outcome.cost_usd > max_cost_usd:
        raise BudgetExceeded(outcome.cost_usd, max_cost_usd)
    if not todo:
        return outcome
    attempts = tenacity.Retrying(
        retry=_retried, stop=tenacity.stop_after_attempt(_ATTEMPTS), wait=_backoff, sleep=sleep, reraise=True
    )
    done = tokens = 0
    wanted = (item for item in _distinct(items()) if item[0] in todo)
    for batch in _batches(wanted, batch_size):
        texts = [text for _, text in batch]
        counts = [todo[key] for key, _ in batch]
        vectors = attempts(_embed, embedder, texts)
        cache.put([key for key, _ in batch], vectors, counts, embedder.model_id)
        done, tokens = done + len(batch), tokens + sum(counts)
        on_progress(done, len(todo))
    return _outcome(embedder, reused, done, tokens, price_per_million_tokens_usd)


def _plan(cache: EmbeddingCache, embedder: Embedder, items: Iterable[Item]) -> tuple[int, dict[str, int]]:
    """How many distinct texts the cache holds, and the tokens of each that it lacks, by content hash."""
    reused = 0
    todo: dict[str, int] = {}
    distinct = _distinct(items)
    while window := dict(islice(distinct, _LOOKUP)):
        missing = cache.missing(window, embedder.model_id)
        reused += len(window) - len(missing)
        todo.update((key, embedder.count_tokens(window[key])) for key in missing)
    return reused, todo


def _distinct(items: Iterable[Item]) -> Iterator[Item]:
    seen: set[bytes] = set()
    for key, text in items:
        digest = bytes.fromhex(key)  # half the memory of the text form
        if digest not in seen:
            seen.add(digest)
            yield key, text


def _batches(items: Iterator[Item], size: int) -> Iterator[Sequence[Item]]:
    # Vectors do not depend on their batch, so the order is free; the hash makes it the same on every run.
    while window := sorted(islice(items, size * _BATCHES_SORTED), key=lambda item: (len(item[1]), item[0])):
        for at in range(0, len(window), size):
            yield window[at : at + size]


def _embed(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    return checked(embedder.embed(texts, "passage"), len(texts), embedder.dimensions, embedder.model_id)


def _outcome(embedder: Embedder, reused: int, created: int, tokens: int, price: float | None) -> EmbedOutcome:
    price = embedder.price_per_million_tokens_usd if price is None else price
    return EmbedOutcome(reused, created, tokens, estimate(tokens, price))
