"""A limited provider in virtual time: a run ends near the ideal time, however many calls it would make at once."""

import heapq
from dataclasses import dataclass, field

import pytest

from searchsocket.errors import EmbedderUnavailable
from searchsocket.models.calling.calls import Call, CallQueue, Schedule, Time
from searchsocket.models.calling.provider import Rates

CHUNKS, BATCH, TOKENS = 10_000, 64, 250  # tokens of a chunk
LATENCY_S = 0.4


@dataclass
class Provider:
    """Takes so many tokens a second, and a burst of them; answers like OpenAI with `says`, else with a bare 429."""

    rate: float
    burst: float
    says: bool
    level: float = field(init=False)
    at: float = 0.0
    accepted_tokens: int = 0
    refused: int = 0

    def __post_init__(self) -> None:
        self.level = self.burst

    def call(self, now: float, tokens: int) -> tuple[float, EmbedderUnavailable | None, dict[str, str]]:
        """Return the time of the answer, its error status if any, and its headers."""
        self.level = min(self.burst, self.level + self.rate * (now - self.at))
        self.at = now
        if tokens > self.level:
            self.refused += 1
            wait = (tokens - self.level) / self.rate if self.says else None
            return now + 0.05, EmbedderUnavailable("429", wait, is_limit=True), {}
        self.level -= tokens
        self.accepted_tokens += tokens
        reset = (self.burst - self.level) / self.rate
        headers = {
            "x-ratelimit-limit-tokens": str(self.burst),
            "x-ratelimit-remaining-tokens": str(int(self.level)),
            "x-ratelimit-reset-tokens": f"{reset:.3f}s",
        }
        return now + LATENCY_S, None, headers if self.says else {}


def seconds_of(provider: Provider, concurrency: int) -> float:
    """Return the seconds that a run of 10,000 chunks takes."""
    now = 0.0
    rates = Rates(lambda: now)
    schedule = Schedule(concurrency, lambda: 0.5)
    batches = [min(BATCH, CHUNKS - start) * TOKENS for start in range(0, CHUNKS, BATCH)]
    queue: CallQueue[int] = CallQueue(batches, rates.wait_s, schedule, Time(lambda: now))
    under_way: list[tuple[float, int, Call[int], EmbedderUnavailable | None, dict[str, str]]] = []
    call_number = 0
    while True:
        while (call := queue.next_call(len(under_way))) is not None:
            call_number += 1
            at, error, headers = provider.call(now, call.batch)
            heapq.heappush(under_way, (at, call_number, call, error, headers))
        assert queue.failure is None
        pause = queue.pause_s(len(under_way))
        if not under_way and pause is None:
            assert provider.accepted_tokens == CHUNKS * TOKENS
            return now
        if under_way and (pause is None or under_way[0][0] <= now + pause):
            now, _, call, error, headers = heapq.heappop(under_way)
            rates.note(headers)
            queue.failed(call, error) if error else schedule.answered()
        else:
            assert pause is not None
            now += pause + 1e-9


@pytest.mark.parametrize("concurrency", [1, 4, 16])
@pytest.mark.parametrize(("says", "share"), [(True, 1.05), (False, 1.35)])
def test_a_limited_run_ends_near_the_ideal_time(concurrency: int, says: bool, share: float) -> None:
    """A million tokens a minute, of which 100,000 at once; 2,500,000 are wanted.

    Where the provider says what it has left, hardly a call is refused; where not, two for each that is taken.
    """
    provider = Provider(rate=1_000_000 / 60, burst=100_000, says=says)
    latency = len(range(0, CHUNKS, BATCH)) * LATENCY_S / concurrency
    ideal = max((CHUNKS * TOKENS - provider.burst) / provider.rate, latency)
    took = seconds_of(provider, concurrency)
    print(f"{concurrency} at once, {says=}: {took:.1f} s, ideal {ideal:.1f} s, {provider.refused} refused")
    assert took <= ideal * share
    assert provider.refused <= (12 if says else 400)
