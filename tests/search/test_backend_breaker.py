"""An unreachable backend is not called for a while, and then tried again."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.search.backend_guard import TimeLimit, breaker_of
from searchsocket.system.breaker import Breaker


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def fail(breaker: Breaker, times: int) -> None:
    for _ in range(times):
        breaker.failed()


def test_a_failure_or_two_keep_nobody_away() -> None:
    breaker = breaker_of(Clock())
    fail(breaker, 2)
    assert breaker.wait_s() == 0.0
    breaker.succeeded()
    fail(breaker, 2)
    assert breaker.wait_s() == 0.0


def test_three_in_a_row_do_and_one_caller_a_pause_tries_again() -> None:
    clock = Clock()
    breaker = breaker_of(clock)
    fail(breaker, 3)
    assert breaker.wait_s() == 1.0
    clock.now += 1.0
    assert breaker.wait_s() == 0.0
    assert breaker.wait_s() > 0.0
    breaker.failed()
    assert breaker.wait_s() == 2.0
    clock.now += 2.0
    assert breaker.wait_s() == 0.0
    breaker.succeeded()
    assert [breaker.wait_s() for _ in range(5)] == [0.0] * 5


@given(st.lists(st.booleans(), max_size=60))
def test_any_failure_is_retried_within_half_a_minute(events: list[bool]) -> None:
    clock = Clock()
    breaker = breaker_of(clock)
    for answered in events:
        (breaker.succeeded if answered else breaker.failed)()
    clock.now += 30.0
    assert breaker.wait_s() == 0.0
    breaker.succeeded()
    assert breaker.wait_s() == 0.0


def test_nobody_waits_longer_than_the_limit_nor_begins_to_where_many_wait() -> None:
    stuck = threading.Event()
    limit = TimeLimit()
    try:
        for _ in range(32):
            with pytest.raises(TimeoutError):
                limit.call(stuck.wait, 0.001)
        with pytest.raises(TimeoutError):
            limit.call(lambda: "at once", 60.0)
    finally:
        stuck.set()
    fresh = TimeLimit()
    assert [fresh.call(lambda: "at once", 60.0) for _ in range(100)] == ["at once"] * 100


def test_the_error_of_a_call_is_raised() -> None:
    def refuse() -> None:
        raise KeyError("this")

    with pytest.raises(KeyError, match="this"):
        TimeLimit().call(refuse, 60.0)
