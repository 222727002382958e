"""Judgements of queries: remembered, waited for only so long, and paid for only up to a budget (spec 13.2).

A reranker that is down, slow or too dear just now is no error of the caller's: he is told why his results are in the
order that they had before.
"""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from datetime import UTC, datetime
from enum import Enum, auto

from searchsocket.embedders.cost import DailyBudget, estimate
from searchsocket.errors import SearchSocketError
from searchsocket.rerankers.base import Reranker, Usage
from searchsocket.settings.rerank import RerankSettings
from searchsocket.system.breaker import Breaker

THREAD_NAME = "rerank-query"
_MAX_HELD = 1_024  # judgements; a megabyte
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
        settings: RerankSettings,
        *,
        prepare: Callable[[str], str] = lambda text: text,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        on_error: Callable[[BaseException], None] = lambda _: None,
        on_usage: Callable[[Usage], None] = lambda _: None,
        breaker: Breaker | None = None,
    ) -> None:
        self.settings = settings
        self._reranker = reranker
        self._prepare = prepare if reranker.is_remote else lambda text: text
        self._budget = DailyBudget(settings.usd_a_day, clock)
        self._on_error = on_error
        self._on_usage = on_usage
        self._breaker = breaker or Breaker()
        self._lock = threading.Lock()
        self._held: OrderedDict[bytes, Scores] = OrderedDict()  # the one that was used longest ago is first
        self._under_way: dict[bytes, Future[Scores]] = {}
        self._waiting = 0

    @property
    def cost(self) -> float:
        """What a judgement costs this machine, in plain queries."""
        return 0.0 if self._reranker.is_remote else _LOCAL_COST

    def scores(self, query: str, texts: Sequence[str], *, anonymous: bool = False) -> Scores | NotJudged:
        """By text: a finite score, higher is better, or None where it is not among the best `rerank.top_n`.

        Args:
            texts: One at least.
            anonymous: Whether it counts against the budget.
        """
        query, texts = self._prepare(query), [self._prepare(text) for text in texts]
        key = hashlib.sha256("\0".join((query, *texts)).encode("utf-8", "surrogatepass")).digest()
        with self._lock:
            if (held := self._held.get(key)) is not None:
                self._held.move_to_end(key)
                return held
            call = self._under_way.get(key)
            if self._waiting >= _MAX_WAITING or (call is None and len(self._under_way) >= _MAX_UNDER_WAY):
                return NotJudged.TOO_SLOW
            if call is None:
                if not self._breaker.lets_through():
                    return NotJudged.UNAVAILABLE
                tokens = self._reranker.count_tokens(query, texts)
                cost = estimate(tokens, self._reranker.price_per_million_tokens_usd)
                if anonymous and not self._budget.take(cost):
                    return NotJudged.OVER_BUDGET
                call = self._under_way[key] = Future()
                # A daemon, so that a reranker that never answers keeps no process alive.
                threading.Thread(
                    target=self._call, args=(query, texts, key, call), name=THREAD_NAME, daemon=True
                ).start()
            self._waiting += 1
        try:
            return call.result(self.settings.timeout_s)
        except TimeoutError:
            return NotJudged.TOO_SLOW
        except Exception:  # noqa: BLE001  (also a defect: `on_error` heard of it, and the search goes on)
            return NotJudged.UNAVAILABLE
        finally:
            with self._lock:
                self._waiting -= 1

    def _call(self, query: str, texts: Sequence[str], key: bytes, call: Future[Scores]) -> None:
        reranker, settings = self._reranker, self.settings
        try:
            top_n = min(settings.top_n, len(texts))
            judgement = reranker.rerank(query, texts, top_n=top_n, timeout_s=settings.timeout_s)
        except BaseException as error:  # noqa: BLE001  (handed to whoever waits)
            retryable = isinstance(error, SearchSocketError) and error.retryable
            self._breaker.failed(for_s=getattr(error, "retry_after_s", None), lasting=not retryable)
            with self._lock:
                del self._under_way[key]
            try:
                self._on_error(error)
            finally:
                call.set_exception(error)
            return
        self._breaker.succeeded()
        with self._lock:
            self._held[key] = judgement.scores
            if len(self._held) > _MAX_HELD:
                self._held.popitem(last=False)
            del self._under_way[key]
        try:
            price = reranker.price_per_million_tokens_usd
            self._on_usage(Usage(reranker.model_id, judgement.tokens, estimate(judgement.tokens, price)))
        finally:
            call.set_result(judgement.scores)
