"""Judgements of queries: remembered, waited for only so long, paid for up to a budget; a reason where there is none."""

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from searchsocket.models.rerankers import judge as module
from searchsocket.models.rerankers.base import Judgement, RerankerRefused, RerankerUnavailable, Usage
from searchsocket.models.rerankers.judge import Judge, NotJudged
from searchsocket.project.settings.features import RerankSettings
from searchsocket.system.breaker import Breaker

NOW = datetime(2026, 5, 1, 23, 30, tzinfo=UTC)
TEXTS = ["a", "b"]


class Elsewhere:
    """Waits for `gate`, then answers or fails. A text is a token, and a token costs a dollar."""

    model_id = "elsewhere"
    price_per_million_tokens_usd = 1_000_000.0

    def __init__(self, failure: Exception | None = None, *, is_remote: bool = True) -> None:
        self.is_remote = is_remote
        self.failure = failure
        self.calls: list[tuple[str, ...]] = []
        self.called, self.gate = threading.Event(), threading.Event()
        self.gate.set()

    def rerank(self, query: str, texts: Sequence[str], *, top_n: int, timeout_s: float) -> Judgement:
        self.calls.append((query, *texts))
        self.called.set()
        assert self.gate.wait(20)
        if self.failure:
            raise self.failure
        return Judgement(tuple(float(number) if number < top_n else None for number in range(len(texts))), len(texts))

    def count_tokens(self, query: str, texts: Sequence[str]) -> int:
        return len(texts)


def judge_of(reranker: Elsewhere, timeout_s: float = 20.0, **options: object) -> Judge:
    settings = RerankSettings(provider="jina", timeout_s=timeout_s, top_n=20, usd_a_day=5.0)
    return Judge(reranker, settings, **{"clock": lambda: NOW} | options)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def _ended() -> Iterator[None]:
    """Wait until nothing is asked any more."""
    yield
    for thread in threading.enumerate():
        if thread.name == module.THREAD_NAME:
            thread.join(20)


def test_a_query_is_judged_once_and_its_cost_is_told() -> None:
    reranker, usages = Elsewhere(), list[Usage]()
    judge = judge_of(reranker, on_usage=usages.append)
    assert [judge.scores("q", TEXTS), judge.scores("q", TEXTS)] == [(0.0, 1.0)] * 2
    judge.scores("q", ["a", "c"])
    assert reranker.calls == [("q", "a", "b"), ("q", "a", "c")]
    assert usages == [Usage("elsewhere", 2, 2.0)] * 2


def test_equal_queries_wait_for_one_call() -> None:
    reranker = Elsewhere()
    judge = judge_of(reranker)
    reranker.gate.clear()
    with ThreadPoolExecutor(4) as pool:
        waiting = [pool.submit(judge.scores, "q", TEXTS) for _ in range(4)]
        assert reranker.called.wait(20)
        reranker.gate.set()
        assert {item.result(20) for item in waiting} == {(0.0, 1.0)}
    assert len(reranker.calls) <= 2  # one that came when all was over is answered from memory


def test_a_slow_one_is_not_waited_for_and_its_answer_is_kept() -> None:
    reranker = Elsewhere()
    judge = judge_of(reranker, timeout_s=0.01)
    reranker.gate.clear()
    assert judge.scores("q", TEXTS) is NotJudged.TOO_SLOW
    reranker.gate.set()
    for thread in threading.enumerate():
        if thread.name == module.THREAD_NAME:
            thread.join(20)
    assert judge.scores("q", TEXTS) == (0.0, 1.0)


def test_a_stuck_one_holds_a_few_threads_and_no_caller_beyond_them() -> None:
    """One slow vendor must not hold all workers: who comes now is answered at once."""
    reranker = Elsewhere()
    judge = judge_of(reranker, timeout_s=0.01)
    reranker.gate.clear()
    try:
        for number in range(20):
            assert judge.scores(f"q{number}", TEXTS) is NotJudged.TOO_SLOW
        assert len(reranker.calls) == module._MAX_UNDER_WAY
    finally:
        reranker.gate.set()


@pytest.mark.parametrize(
    ("failure", "calls", "tries", "pause_s"),
    [
        (RerankerUnavailable("down"), 3, 2, 30),
        (RerankerUnavailable("busy", 90.0), 1, 1, 90),
        (RerankerRefused("no key"), 1, 1, 30),
        (ValueError("a defect"), 1, 1, 30),
    ],
)
def test_a_failing_reranker_is_not_called_for_a_while(
    failure: Exception, calls: int, tries: int, pause_s: float
) -> None:
    now, errors = [0.0], list[BaseException]()
    reranker = Elsewhere(failure)
    judge = judge_of(reranker, breaker=Breaker(lambda: now[0]), on_error=errors.append)
    for number in range(6):
        assert judge.scores(f"q{number}", TEXTS) is NotJudged.UNAVAILABLE
    assert (len(reranker.calls), errors) == (calls * tries, [failure] * calls)
    now[0], reranker.failure = pause_s + 1, None
    assert judge.scores("later", TEXTS) == (0.0, 1.0)
    assert judge.scores("and more", TEXTS) == (0.0, 1.0)


@pytest.mark.parametrize(("retry_after_s", "waited_s"), [(None, 0.1), (3.0, 3.0), (25.0, None)])
def test_a_busy_reranker_is_asked_once_more_within_its_time(
    retry_after_s: float | None, waited_s: float | None
) -> None:
    now, limits = [0.0], list[float]()

    class Busy(Elsewhere):
        def rerank(self, query: str, texts: Sequence[str], *, top_n: int, timeout_s: float) -> Judgement:
            limits.append(timeout_s)
            if len(limits) == 1:
                now[0] += 2.0
                raise RerankerUnavailable("429", retry_after_s)
            return super().rerank(query, texts, top_n=top_n, timeout_s=timeout_s)

    def sleep(seconds: float) -> None:
        now[0] += seconds

    scores = judge_of(Busy(), monotonic=lambda: now[0], sleep=sleep).scores("q", TEXTS)
    if waited_s is None:
        assert (scores, limits) == (NotJudged.UNAVAILABLE, [20.0])
    else:
        assert (scores, limits) == ((0.0, 1.0), [20.0, 18.0 - waited_s])


def test_the_budget_is_for_strangers_and_a_day() -> None:
    times = [NOW]
    reranker = Elsewhere()
    judge = judge_of(reranker, clock=lambda: times[-1])
    spent = [judge.scores(f"q{number}", TEXTS, anonymous=True) for number in range(3)]
    assert spent == [(0.0, 1.0), (0.0, 1.0), NotJudged.OVER_BUDGET]
    assert judge.scores("trusted", TEXTS) == (0.0, 1.0)
    times.append(NOW + timedelta(hours=1))
    assert judge.scores("q2", TEXTS, anonymous=True) == (0.0, 1.0)


@pytest.mark.parametrize("is_remote", [True, False])
def test_only_prepared_texts_leave_the_machine(is_remote: bool) -> None:
    reranker = Elsewhere(is_remote=is_remote)
    judge = judge_of(reranker, prepare=lambda text: text.replace("secret", "[redacted]"))
    judge.scores("my secret", ["the secret"])
    assert reranker.calls == [("my [redacted]", "the [redacted]") if is_remote else ("my secret", "the secret")]
    assert (judge.cost == 0) is is_remote  # a model on this machine works for it
