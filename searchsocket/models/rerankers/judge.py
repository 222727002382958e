"""Judgements of queries: remembered, waited for only so long, and paid for only up to a budget (spec 13.2).

A reranker that is down, slow or too dear just now is no error of the caller's: he is told why his results are in the
order that they had before.
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

_PAUSE_S = 0.1  # before a call is made again
THREAD_NAME = "rerank-query"
_MAX_JUDGEMENTS = 1_024  # judgements; a megabyte
_MAX_UNDER_WAY = 8  # calls that are not answered yet, and ...
_MAX_WAITING = 16  # ... callers who wait for one; beyond either the reranker counts as too slow

Scores = tuple[float | None, ...]
_LOCAL_COST = 20.0  # plain queries: a cross-encoder reads every candidate


class NotJudged(Enum):
    """Why candidates have no scores."""

    UNAVAILABLE = auto()
    TOO_SLOW = auto()
    OVER_BUDGET = auto()


class Judge:
    """The configured reranker as queries use it; safe to share between threads.

    Args:
        prepare: What is done to each text, and to the query, before a reranker elsewhere sees it.
        clock: Tells the day.
        on_error: Hears why a reranker could not answer; may be called in any thread.
        on_usage: Hears what each call took; may be called in any thread.
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
        """By text: a finite score, higher is better, or None where it is not among the best `rerank.top_n`.

        Args:
            texts: One at least.
            anonymous: Whether it counts against the budget.
        """
        query, texts = self._prepare(query), [self._prepare(text) for text in texts]
        key = hashlib.sha256("\0".join((query, *texts)).encode("utf-8", "surrogatepass")).digest()
        if (scores := self._calls.answer_of(key)) is not None:
            return scores
        if not self._waiting.acquire(blocking=False):
            return NotJudged.TOO_SLOW
        try:
            return self._awaited(query, texts, key, anonymous=anonymous)
        finally:
            self._waiting.release()

    def _awaited(self, query: str, texts: Sequence[str], key: bytes, *, anonymous: bool) -> Scores | NotJudged:
        def refused() -> NotJudged | None:
            if not self._breaker.lets_through():
                return NotJudged.UNAVAILABLE
            tokens = self._reranker.count_tokens(query, texts)
            cost = estimate(tokens, self._reranker.price_per_million_tokens_usd)
            return NotJudged.OVER_BUDGET if anonymous and not self._budget.take(cost) else None

        call = self._calls.joined(key, lambda: self._paid(query, texts), refused)
        if call is None:
            return NotJudged.TOO_SLOW
        if isinstance(call, NotJudged):
            return call
        try:
            return call.result(self.settings.timeout_s)
        except TimeoutError:
            return NotJudged.TOO_SLOW
        except Exception:  # noqa: BLE001  (also a defect: `on_error` heard of it, and the search goes on)
            return NotJudged.UNAVAILABLE

    def _judgement(self, query: str, texts: Sequence[str], top_n: int) -> Judgement:
        """Ask the reranker, and once more within the same time where it was busy or broke."""
        ends = self._monotonic() + self.settings.timeout_s
        try:
            return self._reranker.rerank(query, texts, top_n=top_n, timeout_s=self.settings.timeout_s)
        except SearchSocketError as error:
            pause_s = max(getattr(error, "retry_after_s", None) or 0.0, _PAUSE_S)
            if not error.retryable or self._monotonic() + pause_s >= ends:
                raise
        self._sleep(pause_s)
        return self._reranker.rerank(query, texts, top_n=top_n, timeout_s=ends - self._monotonic())

    def _paid(self, query: str, texts: Sequence[str]) -> Scores:
        """Ask the reranker, and say what it took and how it fared."""
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
        except SearchSocketError as error:  # what was paid for is used, whether that could be noted or not
            self._on_error(error)
        return judgement.scores
