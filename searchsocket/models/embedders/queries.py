"""Vectors of queries: remembered, waited for only so long, and paid for only up to a budget (spec 11.2).

Whoever asks a model on another machine must take it that the model is down, slow or too dear just now. That is no
error of the caller's: it is told why there is no vector, and words alone answer.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from enum import Enum, auto
from typing import TYPE_CHECKING

from searchsocket.errors import EmbedderRefused, EmbedderUnavailable, SearchSocketError, StateUnavailable
from searchsocket.models.calling.shared_calls import SharedCalls
from searchsocket.models.embedders.base import Embedder, Paced, charged_tokens
from searchsocket.models.embedders.checks import checked
from searchsocket.models.paying.cost import DailyBudget, estimate, estimate_tokens
from searchsocket.system.batches import packed
from searchsocket.system.breaker import Breaker
from searchsocket.types import Vector, Vectors

if TYPE_CHECKING:
    from searchsocket.models.paying.ledger import Ledger

THREAD_NAME = "embed-query"
_MAX_VECTORS = 2_048  # vectors; 13 MB of 1,536 dimensions
_MAX_UNDER_WAY = 32  # calls that are not answered yet; beyond it the provider counts as too slow

_Key = tuple[str, str]  # model id, text


class NoVector(Enum):
    """Why a query has none."""

    UNAVAILABLE = auto()
    TOO_SLOW = auto()
    OVER_BUDGET = auto()


class QueryVectors:
    """The vectors that queries are searched with; safe to share between threads.

    Args:
        embedder_of: Who makes vectors that can be compared with those of a model id.
        timeout_s: How long a caller waits for a provider elsewhere. An answer that comes later is remembered.
        usd_a_day: What queries of anonymous callers may cost in a day of UTC, in this process; 0 = no limit.
        usd_a_month: What the ledger may come to in a month; None = no limit.
        ledger: Where it is noted what was paid; None = nowhere.
        clock: Tells the day.
        on_error: Hears why a provider could not answer; may be called in any thread.
        prepare: What is done to a query before a provider elsewhere is given it.
    """

    def __init__(
        self,
        embedder_of: Callable[[str], Embedder],
        *,
        timeout_s: float = 0.3,
        usd_a_day: float = 0.0,
        usd_a_month: float | None = None,
        ledger: "Ledger | None" = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        on_error: Callable[[BaseException], None] = lambda _: None,
        prepare: Callable[[str], str] = lambda text: text,
    ) -> None:
        self.embedder_of = embedder_of
        self._timeout_s = timeout_s
        self._budget = DailyBudget(usd_a_day, clock)
        self._usd_a_month = usd_a_month
        self._ledger = ledger
        self._clock = clock
        self._breaker = Breaker(lambda: clock().timestamp(), max_failures=5, pause_s=10.0)
        self._on_error = on_error
        self._prepare = prepare
        self._calls = SharedCalls[_Key, Vector](THREAD_NAME, max_answers=_MAX_VECTORS, max_under_way=_MAX_UNDER_WAY)

    def vector(self, embedder: Embedder, text: str, *, anonymous: bool = False) -> Vector | NoVector:
        """The vector of a query, shape (dimensions,), float32, unit length; or why there is none.

        Args:
            anonymous: Whether it counts against the budget.

        Raises:
            BadVectors: A model on this machine gave something that cannot be one.
        """
        if embedder.is_instant:
            return self._from_provider(embedder, text)
        if embedder.is_remote:
            text = self._prepare(text)
        key = embedder.model_id, text
        if (cached := self._calls.answer_of(key)) is not None:
            return cached
        if not embedder.is_remote:
            return self._from_provider(embedder, text, key)
        return self._awaited(embedder, text, key, anonymous=anonymous)

    def embed_ahead(self, embedder: Embedder, texts: Iterable[str]) -> None:
        """Embed many queries in as few requests as a remote provider takes, so that `vector` answers from memory.

        A model on this machine embeds each query when it is asked; over the month's budget nothing is embedded.

        Raises:
            BadVectors: The provider answered with what cannot be vectors.
            EmbedderUnavailable: The provider failed several times in a row.
            EmbedderRefused: The provider will not go on.
        """
        if not embedder.is_remote:
            return
        model = embedder.model_id
        distinct = list(dict.fromkeys(map(self._prepare, texts)))[:_MAX_VECTORS]
        missing = [text for text in distinct if self._calls.answer_of((model, text)) is None]
        if self._is_month_spent(estimate(sum(map(estimate_tokens, missing)), embedder.price_per_million_tokens_usd)):
            return
        from searchsocket.models.calling.calls import (
            answers,  # loads logging, which a model on this machine does not need
        )

        def embed(batch: Sequence[str]) -> Vectors:
            try:
                vectors = checked(embedder.embed(batch, "query"), len(batch), embedder.dimensions, model)
            except BaseException:
                self._note_payment(embedder, 0)
                raise
            self._note_payment(embedder, sum(map(estimate_tokens, batch)))
            return vectors

        def wait_s(batch: Sequence[str]) -> float:
            return embedder.wait_s(sum(map(embedder.count_tokens, batch))) if isinstance(embedder, Paced) else 0.0

        requests = packed(missing, embedder.limits.texts, embedder.limits.tokens, embedder.count_tokens)
        for batch, vectors in answers(embed, requests, 1, wait_s=wait_s):
            for text, row in zip(batch, vectors, strict=True):
                vector = row.copy()
                vector.flags.writeable = False
                self._calls.remember((model, text), vector)

    def _from_provider(self, embedder: Embedder, text: str, key: _Key | None = None) -> Vector | NoVector:
        """From a model on this machine."""
        try:
            vector = _embed(embedder, text)
        except (EmbedderUnavailable, EmbedderRefused) as error:
            self._on_error(error)
            return NoVector.UNAVAILABLE
        if key:
            vector.flags.writeable = False
            self._calls.remember(key, vector)
        return vector

    def _awaited(self, embedder: Embedder, text: str, key: _Key, *, anonymous: bool) -> Vector | NoVector:
        """From a model elsewhere; equal queries that come meanwhile wait for the same call."""
        # The model's own count would load its vocabulary; of a query, the estimate is near enough.
        cost = estimate(estimate_tokens(text), embedder.price_per_million_tokens_usd)
        if self._is_month_spent(cost):
            return NoVector.OVER_BUDGET

        def refused() -> NoVector | None:
            if not self._breaker.lets_through():
                return NoVector.UNAVAILABLE
            return NoVector.OVER_BUDGET if anonymous and not self._budget.take(cost) else None

        call = self._calls.joined(key, lambda: self._paid(embedder, text), refused)
        if call is None:
            return NoVector.TOO_SLOW
        if isinstance(call, NoVector):
            return call
        try:
            return call.result(self._timeout_s)
        except TimeoutError:
            self._breaker.failed()
            return NoVector.TOO_SLOW
        except SearchSocketError:
            return NoVector.UNAVAILABLE

    def _paid(self, embedder: Embedder, text: str) -> Vector:
        """Ask a provider elsewhere, and note what it charged and how it fared."""
        started = self._clock()
        try:
            vector = _embed(embedder, text)
        except BaseException as error:
            self._note_payment(embedder, 0)
            self._breaker.failed()
            self._on_error(error)
            raise
        self._note_payment(embedder, estimate_tokens(text))
        if (self._clock() - started).total_seconds() <= self._timeout_s:  # else it was waited for in vain
            self._breaker.succeeded()
        vector.flags.writeable = False
        return vector

    def _is_month_spent(self, cost_usd: float) -> bool:
        """Also where the ledger cannot be read: a budget that is not known is none to spend from."""
        if self._usd_a_month is None or self._ledger is None or not cost_usd:
            return False
        try:
            return self._ledger.paid_usd() + cost_usd > self._usd_a_month
        except StateUnavailable as error:
            self._on_error(error)
            return True

    def _note_payment(self, embedder: Embedder, counted: int) -> None:
        """Note what was charged meanwhile; `counted` tokens where the provider does not say."""
        said = charged_tokens(embedder)
        tokens = counted if said is None else said
        if self._ledger is not None and tokens:
            cost = estimate(tokens, embedder.price_per_million_tokens_usd)
            try:
                self._ledger.add("queries", embedder.model_id, tokens=tokens, cost_usd=cost)
            except StateUnavailable as error:
                self._on_error(error)


def _embed(embedder: Embedder, text: str) -> Vector:
    vector: Vector = checked(embedder.embed([text], "query"), 1, embedder.dimensions, embedder.model_id)[0]
    return vector
