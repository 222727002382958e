"""Call an embedding provider with bounded concurrency and retries: pending calls, how many at once, and pauses."""

import random
import time
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Generic, TypeVar

from searchsocket.errors import EmbedderUnavailable, SearchSocketError
from searchsocket.types import Vectors

_FAILURES = 8  # of one call, or limits in a row; in about a minute, the time of a provider's restart
_MAX_TRYING_S = 180.0  # of all tries of one call together, without the pauses between them
_MAX_PAUSE_S = 120.0  # if a provider asks for a longer pause, the call fails
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 20.0
Batch = TypeVar("Batch")


class Schedule:
    """Additive increase and multiplicative decrease of the calls at once, as in TCP; and pauses for all calls.

    Args:
        most: Maximum number of calls at once.
        jitter: Returns a number in [0, 1), so that calls that failed together are not retried together.
    """

    def __init__(self, most: int, jitter: Callable[[], float] = random.random) -> None:
        self._most = float(most)
        self._window = float(most)
        self._jitter = jitter
        self._cut_at = float("-inf")
        self._limits_in_row = 0
        self.not_before = float("-inf")

    @property
    def at_once(self) -> int:
        """Number of calls that may run now."""
        return int(self._window)

    def pause_until(self, until: float) -> None:
        """Allow no call before a time."""
        self.not_before = max(self.not_before, until)

    def answered(self) -> None:
        self._limits_in_row = 0
        self._window = min(self._most, self._window + 1.0 / self._window)

    def limited(self, now: float, sent_at: float, stated_s: float | None) -> bool:
        """Note that the provider refused a call because of a rate limit.

        Calls that were sent before the last reduction do not count.

        Args:
            stated_s: The pause that the provider asked for, in seconds; None = it did not.

        Returns:
            True if another attempt makes sense.
        """
        if sent_at >= self._cut_at:
            self._cut_at = now
            self._window = max(1.0, self._window / 2)
            self._limits_in_row += 1
            pause_s = self.pause_s(self._limits_in_row, None) if stated_s is None else stated_s
            if pause_s <= _MAX_PAUSE_S:
                self.pause_until(now + pause_s)
        elif stated_s is not None and stated_s <= _MAX_PAUSE_S:
            self.pause_until(now + stated_s)
        return self._limits_in_row < _FAILURES and (stated_s or 0.0) <= _MAX_PAUSE_S

    def pause_s(self, failures: int, stated_s: float | None) -> float:
        """The pause after a number of failures: the provider's request, otherwise about twice the previous pause."""
        if stated_s is not None:
            return stated_s
        return float(min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2 ** (failures - 1)) * (0.5 + self._jitter() / 2))

    def may_retry(self, failures: int, stated_s: float | None) -> bool:
        """Return True if another attempt makes sense after this number of failures."""
        return failures < _FAILURES and (stated_s or 0.0) <= _MAX_PAUSE_S


@dataclass(frozen=True, slots=True)
class Time:
    """Clock and sleep for waiting calls."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    jitter: Callable[[], float] = random.random


REAL = Time()


@dataclass(slots=True)
class Call(Generic[Batch]):
    """One batch and its failed attempts."""

    batch: Batch
    failures: int = 0
    trying_s: float = 0.0  # of all tries so far
    due: float = float("-inf")
    sent_at: float = 0.0


class CallQueue(Generic[Batch]):
    """Pending calls; failed calls that are due are first."""

    def __init__(
        self, batches: Iterable[Batch], wait_s: Callable[[Batch], float], schedule: Schedule, passing: Time
    ) -> None:
        self._fresh = iter(batches)
        self._wait_s = wait_s
        self._waiting: list[Call[Batch]] = []  # by the time at which they are due
        self._passing = passing
        self._is_exhausted = False  # no fresh batch is left
        self.schedule = schedule
        self.failure: BaseException | None = None

    def next_call(self, under_way: int) -> Call[Batch] | None:
        """Return a call to make now; None if no call is due yet, or none is left.

        Args:
            under_way: Number of running calls. Failed calls that wait count too; otherwise a provider that is down
                would get every batch at once.
        """
        now = self._passing.now()
        if self.failure is not None or now < self.schedule.not_before or under_way >= self.schedule.at_once:
            return None
        if not self._waiting or self._waiting[0].due > now:
            if not self._takes_fresh(under_way):
                return None
            for batch in self._fresh:
                self._waiting.insert(0, Call(batch, due=now))
                break
            else:
                self._is_exhausted = True
                return None
        if (seconds := self._wait_s(self._waiting[0].batch)) > 0.0:
            self.schedule.pause_until(now + seconds)
            return None
        call = self._waiting.pop(0)
        call.sent_at = now
        return call

    def failed(self, call: Call[Batch], error: BaseException) -> None:
        """Queue a failed call again if a retry makes sense; otherwise send no more calls."""
        now = self._passing.now()
        call.trying_s += now - call.sent_at
        stated_s: float | None = getattr(error, "retry_after_s", None)
        if isinstance(error, EmbedderUnavailable) and error.is_limit:
            may_retry, call.due = self.schedule.limited(now, call.sent_at, stated_s), now
        else:
            call.failures += 1
            may_retry = getattr(error, "retryable", False) and self.schedule.may_retry(call.failures, stated_s)
            call.due = now + self.schedule.pause_s(call.failures, stated_s)
        if may_retry and call.trying_s < _MAX_TRYING_S:
            self._waiting.append(call)
            self._waiting.sort(key=lambda each: each.due)
        else:
            self.failure = self.failure or error

    def pause_s(self, under_way: int) -> float | None:
        """Return the seconds until a call may be made; None if no call is possible before an answer."""
        takes_fresh = self._takes_fresh(under_way)
        if self.failure is not None or under_way >= self.schedule.at_once or not (self._waiting or takes_fresh):
            return None
        now = self._passing.now()
        due = now if takes_fresh else self._waiting[0].due
        return max(0.0, self.schedule.not_before - now, due - now)

    def pause(self) -> bool:
        """Wait until a call may be made, while none is running; return False if none is left."""
        if (seconds := self.pause_s(0)) is None:
            return False
        self._passing.sleep(seconds)
        return True

    def _takes_fresh(self, under_way: int) -> bool:
        return not self._is_exhausted and under_way + len(self._waiting) < self.schedule.at_once


def answers(
    embed: Callable[[Batch], Vectors],
    batches: Iterable[Batch],
    concurrency: int,
    *,
    wait_s: Callable[[Batch], float] = lambda batch: 0.0,
    passing: Time = REAL,
) -> Generator[tuple[Batch, Vectors]]:
    """Yield each batch with the result of `embed`, as answers arrive; in order if there is one call at a time.

    Batches are read, and results yielded, in the caller's thread. After a failure no more calls are made; results of
    running calls are yielded first.

    Args:
        concurrency: Calls at once; fewer while the provider reports too many. With 1, no thread is started.
        wait_s: Called before a batch is sent. Returns the seconds until the provider accepts it; 0.0 = it is sent now.

    Raises:
        SearchSocketError: The last error of the first call that failed for good.
    """
    queue = CallQueue(batches, wait_s, Schedule(concurrency, passing.jitter), passing)
    if concurrency == 1:
        yield from _one_by_one(embed, queue)
        return
    with ThreadPoolExecutor(concurrency, thread_name_prefix="embed") as pool:
        under_way: dict[Future[Vectors], Call[Batch]] = {}
        while True:
            while (call := queue.next_call(len(under_way))) is not None:
                under_way[pool.submit(embed, call.batch)] = call
            if not under_way:
                if not queue.pause():
                    break
                continue
            for future in wait(under_way, queue.pause_s(len(under_way)), FIRST_COMPLETED).done:
                call = under_way.pop(future)
                if (error := future.exception()) is None:
                    queue.schedule.answered()
                    yield call.batch, future.result()
                else:
                    queue.failed(call, error)
    if queue.failure is not None:
        raise queue.failure


def _one_by_one(embed: Callable[[Batch], Vectors], queue: CallQueue[Batch]) -> Generator[tuple[Batch, Vectors]]:
    while True:
        if (call := queue.next_call(0)) is None:
            if queue.pause():
                continue
            break
        try:
            vectors = embed(call.batch)
        except SearchSocketError as error:
            queue.failed(call, error)
        else:
            queue.schedule.answered()
            yield call.batch, vectors
    if queue.failure is not None:
        raise queue.failure
