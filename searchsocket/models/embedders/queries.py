"""Vectors of queries, with a cache, a timeout and a budget (spec 11.2).

A remote model may be down, slow or over the budget. That is not an error of the query: the caller gets the reason
instead of a vector, and searches by words only.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from enum import Enum, auto
from typing import TYPE_CHECKING

from searchsocket.errors import (
    EmbedderRefused,
    EmbedderUnavailable,
    EmbeddingModelMismatch,
    SearchSocketError,
    StateUnavailable,
)
from searchsocket.models.calling.shared_calls import SharedCalls
from searchsocket.models.embedders.base import Embedder, Paced, charged_tokens, checked
from searchsocket.models.paying.cost import DailyBudget, estimate, estimate_tokens
from searchsocket.system.batches import packed
from searchsocket.system.breaker import Breaker
from searchsocket.types import Generation, Vector, Vectors

if TYPE_CHECKING:
    from searchsocket.models.paying.ledger import Ledger


THREAD_NAME = "embed-query"
_MAX_VECTORS = 2_048  # vectors; 13 MB of 1,536 dimensions
_MAX_UNDER_WAY = 32  # calls that are not answered yet; beyond it the provider counts as too slow

_Key = tuple[str, str]  # model id, text


class NoVector(Enum):
    """Reason why a query has no vector."""

    UNAVAILABLE = auto()
    TOO_SLOW = auto()
    OVER_BUDGET = auto()


class QueryVectors:
    """Embeds queries; safe to share between threads.

    Args:
        embedder_of: Returns the embedder whose vectors are comparable with those of a model id.
        timeout_s: How long a caller waits for a remote provider. A later answer is still cached.
        usd_a_day: Limit of the cost of anonymous queries per day (UTC) and process; 0 = no limit.
        usd_a_month: Limit of the ledger's total per month; None = no limit.
        ledger: Records payments; None = they are not recorded.
        clock: The current time.
        on_error: Called with a provider's errors; may be called in any thread.
        prepare: Changes a query before it is sent to a remote provider.
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
        """Return the vector of a query, shape (dimensions,), float32, unit length; or the reason why there is none.

        Args:
            anonymous: The query counts against the daily budget.

        Raises:
            BadVectors: A model on this machine returned an invalid vector.
        """
        if embedder.is_instant:
            return self._from_local(embedder, text)
        if embedder.is_remote:
            text = self._prepare(text)
        key = embedder.model_id, text
        if (cached := self._calls.answer_of(key)) is not None:
            return cached
        if not embedder.is_remote:
            return self._from_local(embedder, text, key)
        return self._from_remote(embedder, text, key, anonymous=anonymous)

    def embed_ahead(self, embedder: Embedder, texts: Iterable[str]) -> None:
        """Embed many queries in few requests to a remote provider, so that `vector` answers from the cache.

        Does nothing for a model on this machine, or over the month's budget.

        Raises:
            BadVectors: The provider returned invalid vectors.
            EmbedderUnavailable: The provider failed several times in a row.
            EmbedderRefused: The provider refuses further calls.
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

    def _from_local(self, embedder: Embedder, text: str, key: _Key | None = None) -> Vector | NoVector:
        """Embed with a model on this machine."""
        try:
            vector = _embed(embedder, text)
        except (EmbedderUnavailable, EmbedderRefused) as error:
            self._on_error(error)
            return NoVector.UNAVAILABLE
        if key:
            vector.flags.writeable = False
            self._calls.remember(key, vector)
        return vector

    def _from_remote(self, embedder: Embedder, text: str, key: _Key, *, anonymous: bool) -> Vector | NoVector:
        """Embed with a remote model; equal queries at the same time share one call."""
        # The model's own count would load its vocabulary; for a query, the estimate is close enough.
        cost = estimate(estimate_tokens(text), embedder.price_per_million_tokens_usd)
        if self._is_month_spent(cost):
            return NoVector.OVER_BUDGET

        def refusal() -> NoVector | None:
            if not self._breaker.lets_through():
                return NoVector.UNAVAILABLE
            return NoVector.OVER_BUDGET if anonymous and not self._budget.take(cost) else None

        call = self._calls.joined(key, lambda: self._call(embedder, text), refusal)
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

    def _call(self, embedder: Embedder, text: str) -> Vector:
        """Call a remote provider, and note its charge and its success or failure."""
        start = self._clock()
        try:
            vector = _embed(embedder, text)
        except BaseException as error:
            self._note_payment(embedder, 0)
            self._breaker.failed()
            self._on_error(error)
            raise
        self._note_payment(embedder, estimate_tokens(text))
        if (self._clock() - start).total_seconds() <= self._timeout_s:  # a later answer counts as a failure
            self._breaker.succeeded()
        vector.flags.writeable = False
        return vector

    def _is_month_spent(self, cost_usd: float) -> bool:
        return self._ledger is not None and self._ledger.forbids(cost_usd, self._usd_a_month, self._on_error)

    def _note_payment(self, embedder: Embedder, counted: int) -> None:
        """Record the new charges; `counted` tokens if the provider does not report them."""
        charged = charged_tokens(embedder)
        tokens = counted if charged is None else charged
        if self._ledger is not None and tokens:
            cost = estimate(tokens, embedder.price_per_million_tokens_usd)
            try:
                self._ledger.add("queries", embedder.model_id, tokens=tokens, cost_usd=cost)
            except StateUnavailable as error:
                self._on_error(error)


def _embed(embedder: Embedder, text: str) -> Vector:
    vector: Vector = checked(embedder.embed([text], "query"), 1, embedder.dimensions, embedder.model_id)[0]
    return vector


def vector_for(
    queries: QueryVectors, generation: Generation, text: str, *, anonymous: bool = False
) -> Vector | NoVector:
    """Return the text's vector by the model of the generation, or the reason why there is none.

    Raises:
        EmbeddingModelMismatch: The scope was indexed with another model than the configured one.
    """
    embedder = queries.embedder_of(generation.model_id)
    if generation.model_id != embedder.model_id:
        raise EmbeddingModelMismatch(generation.scope, generation.model_id, embedder.model_id)
    return queries.vector(embedder, text, anonymous=anonymous)
