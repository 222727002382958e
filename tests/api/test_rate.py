"""Rate limits of clients, by a clock that the test sets."""

import random
import time

import pytest

from search_api.gate import callers
from search_api.gate.callers import RateLimit
from searchsocket.project.settings.model import RateLimitSettings


class Clock:
    """Seconds, moved by hand."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def limit(clock: Clock, most: int = 3, window_s: int = 60) -> RateLimit:
    return RateLimit(RateLimitSettings(max=most, window_ms=1000 * window_s), clock)


def test_the_window_moves(clock: Clock) -> None:
    """At most so many in any window, and the wait ends when the oldest leaves it."""
    limited = limit(clock)
    waits = []
    for _ in range(5):
        waits.append(limited.hit("a"))
        clock.now += 10
    assert waits == [None, None, None, 30, 20]
    clock.now += 10
    assert [limited.hit("a"), limited.hit("a")] == [None, 10]


def test_no_window_holds_more_than_the_limit(clock: Clock) -> None:
    limited, chance, passed = limit(clock, 5), random.Random(7), []
    for _ in range(3_000):
        clock.now += chance.expovariate(0.3)
        if limited.hit("a") is None:
            passed.append(clock.now)
    assert all(later - sooner >= 60 for sooner, later in zip(passed, passed[5:], strict=False))
    assert len(passed) > 5 * (passed[-1] - passed[0]) / 60 * 0.9


def test_a_wall_clock_that_is_set_back_shuts_nobody_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client at its limit would else be refused until the clock is back where it was."""
    limited = RateLimit(RateLimitSettings(max=1, window_ms=60_000))
    real = time.time()
    assert limited.hit("a") is None
    monkeypatch.setattr(time, "time", lambda: real - 7_200)
    wait_s = limited.hit("a")
    assert wait_s is not None
    assert wait_s <= 60


def test_clients_that_went_away_are_forgotten(clock: Clock) -> None:
    limited = limit(clock)
    for n in range(500):
        limited.hit(f"client {n}")
    clock.now += 60
    limited.hit("a")
    assert limited.clients == 1


def test_so_many_clients_are_remembered_at_most(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has a network of addresses must not fill the memory; the busy ones are still held."""
    monkeypatch.setattr(callers, "MAX_CLIENTS", 100)
    limited = limit(clock, most=10)
    for n in range(1_000):
        clock.now += 0.001
        limited.hit(f"client {n}")
        if n % 50 == 0:
            limited.hit("busy")
        assert limited.clients <= 100
    assert limited.hit("busy") is not None
