"""Rerank candidates of queries, with a cache, a timeout and a budget (spec 13.2).

A reranker may be down, slow or over the budget. That is not an error of the query: the caller gets the reason, and
results keep their order.
"""

import hashlib
import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from enum import Enum, auto
from typing import TYPE_CHECKING

from searchsocket.errors import SearchSocketError
from searchsocket.models.calling.shared_calls import SharedCalls
from searchsocket.models.paying.cost import DailyBudget, estimate
from searchsocket.models.rerankers.base import Judgement, Reranker, Usage
from searchsocket.system.breaker import Breaker

if TYPE_CHECKING:
    from searchsocket.project.settings.features import RerankSettings

_PAUSE_S = 0.1  # before a retry
THREAD_NAME = "rerank-query"
_MAX_JUDGEMENTS = 1_024  # judgements; a megabyte
_MAX_UNDER_WAY = 8  # running calls, and ...
_MAX_WAITING = 16  # ... waiting callers; beyond either the reranker counts as too slow

Scores = tuple[float | None, ...]
_LOCAL_COST = 20.0  # plain queries: a cross-encoder reads every candidate


class NotJudged(Enum):
    """Reason why candidates have no scores."""

    UNAVAILABLE = auto()
    TOO_SLOW = auto()
    OVER_BUDGET = auto()


class Judge:
    """The configured reranker as queries use it; safe to share between threads.

    Args:
        prepare: Changes the query and each text before they are sent to a remote reranker.
        clock: The current time, for the daily budget.
        on_error: Called with a reranker's errors; may be called in any thread.
        on_usage: Called with tokens and cost of each call; may be called in any thread.
    """

    def __init__(
        self,
        reranker: Reranker,
        settings: "RerankSettings",
        *,
        prepare: Callable[[str], str] = lambda text: text,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        on_error: Callable[[BaseException], None] = lambda _: None,
        on_usage: Callable[[Usage], None] = lambda _: None,
        breaker: Breaker | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.settings = settings
        self._reranker = reranker
        self._prepare = prepare if reranker.is_remote else lambda text: text
        self._budget = DailyBudget(settings.usd_a_day, clock)
        self._on_error = on_error
        self._on_usage = on_usage
        self._breaker = breaker or Breaker()
        self._monotonic = monotonic
        self._sleep = sleep
        self._calls = SharedCalls[bytes, Scores](THREAD_NAME, max_answers=_MAX_JUDGEMENTS, max_under_way=_MAX_UNDER_WAY)
        self._waiting = threading.BoundedSemaphore(_MAX_WAITING)

    @property
    def cost(self) -> float:
        """The cost of a judgement for this machine, in plain queries."""
        return 0.0 if self._reranker.is_remote else _LOCAL_COST

    def scores(self, query: str, texts: Sequence[str], *, anonymous: bool = False) -> Scores | NotJudged:
        """Return the score of each text: finite, higher is better; None if it is not among the best `rerank.top_n`.

        Args:
            texts: At least one.
            anonymous: The query counts against the daily budget.
        """
        query, texts = self._prepare(query), [self._prepare(text) for text in texts]
        key = hashlib.sha256("\0".join((query, *texts)).encode("utf-8", "surrogatepass")).digest()
        if (scores := self._calls.answer_of(key)) is not None:
            return scores
        if not self._waiting.acquire(blocking=False):
            return NotJudged.TOO_SLOW
        try:
            return self._wait_for_scores(query, texts, key, anonymous=anonymous)
        finally:
            self._waiting.release()

    def _wait_for_scores(self, query: str, texts: Sequence[str], key: bytes, *, anonymous: bool) -> Scores | NotJudged:
        def refusal() -> NotJudged | None:
            if not self._breaker.lets_through():
                return NotJudged.UNAVAILABLE
            tokens = self._reranker.count_tokens(query, texts)
            cost = estimate(tokens, self._reranker.price_per_million_tokens_usd)
            return NotJudged.OVER_BUDGET if anonymous and not self._budget.take(cost) else None

        call = self._calls.joined(key, lambda: self._call(query, texts), refusal)
        if call is None:
            return NotJudged.TOO_SLOW
        if isinstance(call, NotJudged):
            return call
        try:
            return call.result(self.settings.timeout_s)
        except TimeoutError:
            return NotJudged.TOO_SLOW
        except Exception:  # noqa: BLE001  (`on_error` got it, and the search continues)
            return NotJudged.UNAVAILABLE

    def _judgement(self, query: str, texts: Sequence[str], top_n: int) -> Judgement:
        """Call the reranker, with one retry within the same timeout if the error is temporary."""
        deadline = self._monotonic() + self.settings.timeout_s
        try:
            return self._reranker.rerank(query, texts, top_n=top_n, timeout_s=self.settings.timeout_s)
        except SearchSocketError as error:
            pause_s = max(getattr(error, "retry_after_s", None) or 0.0, _PAUSE_S)
            if not error.retryable or self._monotonic() + pause_s >= deadline:
                raise
        self._sleep(pause_s)
        return self._reranker.rerank(query, texts, top_n=top_n, timeout_s=deadline - self._monotonic())

    def _call(self, query: str, texts: Sequence[str]) -> Scores:
        """Call the reranker, and report its usage and its success or failure."""
        reranker, settings = self._reranker, self.settings
        try:
            top_n = min(settings.top_n, len(texts))
            judgement = self._judgement(query, texts, top_n)
        except BaseException as error:
            retryable = isinstance(error, SearchSocketError) and error.retryable
            self._breaker.failed(for_s=getattr(error, "retry_after_s", None), lasting=not retryable)
            self._on_error(error)
            raise
        self._breaker.succeeded()
        price = reranker.price_per_million_tokens_usd
        usage = Usage(reranker.model_id, judgement.tokens, estimate(judgement.tokens, price))
        try:
            self._on_usage(usage)
        except SearchSocketError as error:  # the paid scores are used, even if the payment was not recorded
            self._on_error(error)
        return judgement.scores
