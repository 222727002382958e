"""Embed the texts missing from the cache: first estimate the cost, then embed in batches (spec 10.5, 11, 21)."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from filelock import FileLock, Timeout

from searchsocket.models.calling.calls import REAL, Time, answers
from searchsocket.models.embedders.base import Embedder, Limits, Paced, charged_tokens
from searchsocket.models.embedders.cache import EmbeddingCache
from searchsocket.models.embedders.refused_texts import PatientEmbedder
from searchsocket.models.paying.bill import Bill, EmbedOutcome, PagesAt, TextSource
from searchsocket.models.paying.cost import NO_BUDGET, Budget, estimate
from searchsocket.system.batches import batches, packed

OnProgress = Callable[[int, int], None]  # texts embedded so far, texts to embed
OnPaid = Callable[[int, float], None]  # tokens, dollars
TextsAt = Callable[[Sequence[int]], Sequence[str]]  # positions -> their texts, in that order

_NOTED = 5_000  # texts in one transaction
_BATCHES_SORTED = 8  # batches that are sorted by length together, so that a model pads little
_LOCK_POLL_S = 0.5


@contextmanager
def embedding_turn(
    cache: Path, model_id: str, *, is_needed: Callable[[], bool], on_wait: Callable[[], None]
) -> Iterator[None]:
    """Take the lock of one model in one cache; the lock ends with its process.

    Args:
        cache: The file of the embedding cache.
        is_needed: Returns True if texts are still missing. Called while another run has the lock, which may store all
            of them.
        on_wait: Called while waiting; an error that it raises ends the wait.
    """
    name = hashlib.sha256(model_id.encode()).hexdigest()[:12]
    lock = FileLock(f"{cache}.{name}.turn.lock")
    timeout_s = 0.0
    while True:
        try:
            lock.acquire(timeout=timeout_s)
        except Timeout:
            if not is_needed():
                break
            on_wait()
            timeout_s = _LOCK_POLL_S
        except OSError:  # a disk that is full or without locks: a text may be paid for twice
            break
        else:
            break
    try:
        yield
    finally:
        lock.release()


def embed_missing(
    cache: EmbeddingCache,
    embedder: Embedder,
    texts_to_embed: Iterable[TextSource],
    texts_at: TextsAt,
    *,
    batch_size: int,
    concurrency: int = 1,
    budget: Budget = NO_BUDGET,
    price_per_million_tokens_usd: float | None = None,
    pages_at: PagesAt | None = None,
    query_tokens: int = 0,
    on_progress: OnProgress = lambda done, total: None,
    on_paid: OnPaid = lambda tokens, cost_usd: None,
    passing: Time = REAL,
) -> EmbedOutcome:
    """Embed every distinct text that is missing from the cache once, and store each batch.

    A text that the provider refuses is cut or left out, see `PatientEmbedder`.

    The cost is estimated without reading texts. Then the texts are read, a few batches at a time. Memory does not grow
    with their number. Each batch is committed when it arrives: a killed run pays again only for running calls.

    Args:
        texts_to_embed: The texts; equal ones should be neighbours.
        texts_at: Reads texts.
        batch_size: Texts in one call of the embedder; its limits may allow fewer.
        concurrency: Calls at once of a remote embedder; a local one has its own threads.
        budget: Limit of the cost.
        price_per_million_tokens_usd: Overrides the embedder's price.
        pages_at: Returns the page of each text, to report the cost of pages.
        query_tokens: Tokens of queries that the run embeds later; they count for the budget.
        on_progress: Called after each batch with the texts embedded so far and in all.
        on_paid: Called with the charges since its last call: after each batch, and when a call has failed.
        passing: Clock and sleep between attempts.

    Raises:
        BudgetExceeded: The estimate is over the budget; the embedder was not called.
        BadVectors: The embedder returned unusable vectors; nothing of that batch is stored.
        EmbedderUnavailable: The provider failed eight times in a row, or for three minutes of one call; all other
            batches that were sent are stored.
        EmbedderRefused: The provider refuses further calls; all other batches that were sent are stored.
        StateUnavailable: The cache cannot be written.
    """

    patient = PatientEmbedder(embedder)

    def wait_s(batch: Sequence[_Item]) -> float:
        return embedder.wait_s(sum(item.tokens for item in batch)) if isinstance(embedder, Paced) else 0.0

    with closing(Bill(cache, embedder, texts_to_embed, price_per_million_tokens_usd, query_tokens)) as bill:
        outcome = bill.with_pages(pages_at)
        budget.allow(outcome.cost_usd)
        charges = _Charges(embedder, bill.price, on_paid)
        batches = _batches(bill.texts(), texts_at, batch_size, embedder.limits)
        done = 0
        try:
            at_once = concurrency if embedder.is_remote else 1
            with closing(answers(patient.embed, batches, at_once, wait_s=wait_s, passing=passing)) as arriving:
                for batch, vectors in arriving:
                    tokens = [item.tokens for item in batch]
                    cache.put([item.key for item in batch], vectors, tokens, embedder.model_id)
                    charges.note(sum(tokens))
                    done += len(batch)
                    on_progress(done, outcome.created)
        finally:
            charges.note(0)  # charges of unusable answers
        refused = [text for text in patient.refused if not text.is_cut]
        return replace(
            outcome,
            created=outcome.created - len(refused),
            charged_tokens=charges.tokens,
            charged_usd=charges.cost_usd,
            cut=tuple(text for text in patient.refused if text.is_cut),
            refused=(*outcome.refused, *refused),
        )


def note_missing(cache: EmbeddingCache, embedder: Embedder, texts_to_embed: Iterable[TextSource]) -> EmbedOutcome:
    """`embed_missing` for a model that `is_uncached`: count the texts now and embed them at publish time.

    Raises:
        StateUnavailable: The cache cannot be written.
    """
    with closing(Bill(cache, embedder, texts_to_embed, None)) as bill:
        for window in batches(bill.texts(), _NOTED):
            keys, tokens = [key.hex() for key, _, _ in window], [count for _, count, _ in window]
            cache.note(keys, tokens, embedder.model_id, embedder.dimensions)
        return replace(bill.outcome, charged_tokens=bill.outcome.tokens)


class _Charges:
    """The provider's charges so far."""

    def __init__(self, embedder: Embedder, price: float, on_paid: OnPaid) -> None:
        self._embedder = embedder
        self._price = price
        self._on_paid = on_paid
        self.tokens = 0
        charged_tokens(embedder)  # drops the charges before this run

    @property
    def cost_usd(self) -> float:
        return estimate(self.tokens, self._price)

    def note(self, counted: int) -> None:
        """Add the new charges; `counted` tokens if the provider does not report them."""
        charged = charged_tokens(self._embedder)
        if tokens := counted if charged is None else charged:
            self.tokens += tokens
            self._on_paid(tokens, estimate(tokens, self._price))


@dataclass(frozen=True, slots=True)
class _Item:
    key: str
    tokens: int
    position: int
    text: str


def _batches(
    rows: Iterator[tuple[bytes, int, int]], texts_at: TextsAt, size: int, limits: Limits
) -> Iterator[Sequence[_Item]]:
    # Vectors do not depend on their batch, so the order is free; the hash makes it the same on every run.
    size = min(size, limits.texts)
    for window in batches(rows, size * _BATCHES_SORTED):
        texts = texts_at([position for _, _, position in window])
        items = [
            _Item(key.hex(), tokens, position, text)
            for (key, tokens, position), text in zip(window, texts, strict=True)
        ]
        items.sort(key=lambda item: (len(item.text), item.key))
        yield from packed(items, size, limits.tokens, lambda item: item.tokens)
