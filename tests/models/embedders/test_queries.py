"""Vectors of queries: remembered, waited for only so long, paid for up to a budget; a note where there is none."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from searchsocket.errors import BadVectors, EmbedderRefused, EmbedderUnavailable, StateUnavailable
from searchsocket.models.embedders import queries as module
from searchsocket.models.embedders.base import TextKind
from searchsocket.models.embedders.hash import HashEmbedder
from searchsocket.models.embedders.queries import NoVector, QueryVectors
from searchsocket.models.paying.ledger import Ledger
from searchsocket.types import Vectors

NOW = datetime(2026, 5, 1, 23, 30, tzinfo=UTC)


class Remote(HashEmbedder):
    """Elsewhere: waits for `gate`, then answers or fails. A token costs a dollar, and a text is a token."""

    is_instant = False
    is_remote = True

    def __init__(self, failure: Exception | None = None) -> None:
        super().__init__(1_000_000.0)
        self.calls: list[str] = []
        self.failure = failure
        self.called, self.gate = threading.Event(), threading.Event()
        self.gate.set()

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        assert kind == "query"
        self.calls += texts
        self.called.set()
        assert self.gate.wait(20)
        if self.failure:
            raise self.failure
        return super().embed(texts, kind)

    def count_tokens(self, text: str) -> int:
        return 1


def vectors_of(embedder: HashEmbedder, **options: object) -> QueryVectors:
    return QueryVectors(lambda _: embedder, **{"timeout_s": 20.0, "clock": lambda: NOW} | options)  # type: ignore[arg-type]


def ended() -> None:
    """Wait until nothing is asked any more."""
    for thread in threading.enumerate():
        if thread.name == module.THREAD_NAME:
            thread.join(20)


def test_a_query_is_asked_for_once() -> None:
    embedder = Remote()
    queries = vectors_of(embedder)
    results = [queries.vector(embedder, "a") for _ in range(3)]
    assert all(np.array_equal(vector, HashEmbedder().embed(["a"], "query")[0]) for vector in results)
    assert embedder.calls == ["a"]


def test_models_do_not_share_vectors() -> None:
    one, other = Remote(), Remote()
    other.model_id = "another"
    queries = vectors_of(one)
    queries.vector(one, "a")
    queries.vector(other, "a")
    assert (one.calls, other.calls) == (["a"], ["a"])


def test_so_many_are_remembered_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that was asked for longest ago goes first."""
    monkeypatch.setattr(module, "_MAX_VECTORS", 2)
    embedder = Remote()
    queries = vectors_of(embedder)
    for text in "abacab":
        queries.vector(embedder, text)
    assert embedder.calls == ["a", "b", "c", "b"]


def test_a_vector_that_is_remembered_cannot_be_changed() -> None:
    embedder = Remote()
    vector = vectors_of(embedder).vector(embedder, "a")
    assert not isinstance(vector, NoVector)
    with pytest.raises(ValueError, match="read-only"):
        vector[0] = 2.0


def test_equal_queries_wait_for_one_call() -> None:
    embedder = Remote()
    embedder.gate.clear()
    queries = vectors_of(embedder)
    with ThreadPoolExecutor(6) as pool:
        calls = [pool.submit(queries.vector, embedder, "a") for _ in range(6)]
        assert embedder.called.wait(20)
        embedder.gate.set()
        assert not any(isinstance(call.result(20), NoVector) for call in calls)
    assert embedder.calls == ["a"]


def test_a_late_vector_is_cached_but_not_waited_for() -> None:
    """It is paid for by then."""
    embedder = Remote()
    embedder.gate.clear()
    queries = vectors_of(embedder, timeout_s=0.01)
    assert queries.vector(embedder, "a") is NoVector.TOO_SLOW
    embedder.gate.set()
    ended()
    assert not isinstance(queries.vector(embedder, "a"), NoVector)
    assert embedder.calls == ["a"]


def test_a_provider_that_hangs_gets_no_endless_number_of_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_UNDER_WAY", 3)
    embedder = Remote()
    embedder.gate.clear()
    queries = vectors_of(embedder, timeout_s=0.01)
    assert [queries.vector(embedder, str(number)) for number in range(9)] == [NoVector.TOO_SLOW] * 9
    embedder.gate.set()
    ended()
    assert len(embedder.calls) == 3


@pytest.mark.parametrize("failure", [EmbedderUnavailable("down"), EmbedderRefused("no credit"), BadVectors("short")])
def test_a_failure_is_a_note_to_the_caller_and_a_report_to_the_operator(failure: Exception) -> None:
    heard: list[BaseException] = []
    embedder = Remote(failure)
    queries = vectors_of(embedder, on_error=heard.append)
    assert queries.vector(embedder, "a") is NoVector.UNAVAILABLE
    assert heard == [failure]
    embedder.failure = None
    assert not isinstance(queries.vector(embedder, "a"), NoVector)  # a failure is not remembered


def test_strangers_spend_so_much_a_day_and_no_more() -> None:
    """Cached queries cost nothing, callers with a key have no limit, and the limit resets each day."""
    now = NOW
    embedder = Remote()
    queries = vectors_of(embedder, usd_a_day=2.0, clock=lambda: now)

    def ask(texts: str, *, anonymous: bool) -> list[bool]:
        return [queries.vector(embedder, text, anonymous=anonymous) is NoVector.OVER_BUDGET for text in texts]

    assert ask("abc", anonymous=True) == [False, False, True]
    assert ask("abd", anonymous=True) == [False, False, True]
    assert ask("ef", anonymous=False) == [False, False]
    assert ask("e", anonymous=True) == [False]
    now += timedelta(hours=1)
    assert ask("ghi", anonymous=True) == [False, False, True]


def test_no_budget_is_no_limit() -> None:
    embedder = Remote()
    queries = vectors_of(embedder, usd_a_day=0.0)
    assert not any(isinstance(queries.vector(embedder, str(n), anonymous=True), NoVector) for n in range(50))


def test_a_model_on_this_machine_is_asked_where_the_query_is() -> None:
    """No thread, no limit: it cannot hang. An instant one is not even remembered."""
    threads: list[int] = []

    class Local(HashEmbedder):
        def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
            threads.append(threading.get_ident())
            return super().embed(texts, kind)

    for is_instant, calls in ((True, 3), (False, 1)):
        threads.clear()
        embedder = Local()
        embedder.is_instant = is_instant
        queries = vectors_of(embedder, timeout_s=1e-9)
        assert not any(isinstance(queries.vector(embedder, "a", anonymous=True), NoVector) for _ in range(3))
        assert threads == [threading.get_ident()] * calls


@pytest.mark.parametrize(
    "spoil", [lambda rows: rows * 0, lambda rows: rows * np.nan, lambda rows: rows[:, :3], lambda rows: rows[:0]]
)
def test_a_vector_that_cannot_be_right_is_never_searched_with(spoil: Callable[[Vectors], Vectors]) -> None:
    """Failure mode 44."""

    class Wrong(HashEmbedder):
        def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
            return spoil(super().embed(texts, kind))

    with pytest.raises(BadVectors):
        vectors_of(Wrong()).vector(Wrong(), "a")


def test_nobody_waits_for_a_provider_that_fails_again_and_again() -> None:
    """Five failures in a row; then one call each ten seconds finds out, and one good answer ends it."""
    now = NOW
    embedder = Remote(EmbedderUnavailable("down"))
    queries = vectors_of(embedder, clock=lambda: now)
    assert [queries.vector(embedder, str(n)) for n in range(8)] == [NoVector.UNAVAILABLE] * 8
    assert len(embedder.calls) == 5
    now += timedelta(seconds=10)
    assert [queries.vector(embedder, str(n)) for n in range(8)] == [NoVector.UNAVAILABLE] * 8
    assert len(embedder.calls) == 6
    now += timedelta(seconds=10)
    embedder.failure = None
    assert not any(isinstance(queries.vector(embedder, str(n)), NoVector) for n in range(8))


def test_late_answers_are_failures_too() -> None:
    """Whoever answers after everybody has gone makes each query wait for nothing."""
    now = NOW
    embedder = Remote()
    queries = vectors_of(embedder, timeout_s=0.01, clock=lambda: now)
    for number in range(7):
        embedder.gate.clear()
        expected = NoVector.TOO_SLOW if number < 5 else NoVector.UNAVAILABLE
        assert queries.vector(embedder, str(number)) is expected
        now += timedelta(seconds=1)
        embedder.gate.set()
        ended()
    assert len(embedder.calls) == 5


def test_queries_are_in_the_ledger_and_stop_with_the_months_budget(tmp_path: Path) -> None:
    """Whoever asks; what is remembered goes on."""
    ledger = Ledger(tmp_path / "costs.db", "site", lambda: NOW)
    ledger.add("index", "m", tokens=7, cost_usd=7.0)
    embedder = Remote()
    queries = vectors_of(embedder, ledger=ledger, usd_a_month=9.0)
    assert [queries.vector(embedder, text) is NoVector.OVER_BUDGET for text in "abca"] == [False, False, True, False]
    assert embedder.calls == ["a", "b"]
    (line,) = [line for line in ledger.lines() if line.used_for == "queries"]
    assert (line.model_id, line.tokens, line.cost_usd) == (embedder.model_id, 2, 2.0)


def test_a_ledger_that_cannot_be_used_is_reported_and_lets_nothing_be_spent(tmp_path: Path) -> None:
    (tmp_path / "costs.db").write_bytes(b"no database at all" * 100)
    heard: list[BaseException] = []
    embedder = Remote()
    for month, result in ((None, False), (9.0, True)):
        queries = vectors_of(
            embedder, ledger=Ledger(tmp_path / "costs.db", "site"), usd_a_month=month, on_error=heard.append
        )
        assert (queries.vector(embedder, "a") is NoVector.OVER_BUDGET) is result
    assert [type(error) for error in heard] == [StateUnavailable] * 2
