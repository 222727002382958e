"""A breaker: who failed several times in a row is left alone for a while, so that nobody waits for him in vain.

pybreaker holds its lock while it calls, so that one slow answer makes all wait, and reads the clock of the wall.
"""

import threading
import time
from collections.abc import Callable

_MAX_RETRY_AFTER_S = 600.0  # who asks for a longer pause is asked again sooner


class Breaker:
    """Counts failures of one partner; safe to share between threads.

    Args:
        monotonic: Tells seconds.
        max_failures: In a row; then the partner is left alone.
        pause_s: For so long at first. Of those that come after the pause, one alone may try until its outcome is known.
        max_pause_s: Each trial that fails doubles the pause up to this; None = it stays.
    """

    def __init__(
        self,
        monotonic: Callable[[], float] = time.monotonic,
        *,
        max_failures: int = 3,
        pause_s: float = 30.0,
        max_pause_s: float | None = None,
    ) -> None:
        self._monotonic = monotonic
        self._max_failures = max_failures
        self._first_pause_s = self._pause_s = pause_s
        self._max_pause_s = pause_s if max_pause_s is None else max_pause_s
        self._lock = threading.Lock()
        self._failures = 0
        self._again_at = 0.0

    def lets_through(self) -> bool:
        """Return True if a call may be tried; the caller then reports its outcome."""
        return self.wait_s() == 0.0

    def wait_s(self) -> float:
        """0: a call may be tried, and its outcome is to be told; else for how many seconds it is not worth it."""
        with self._lock:
            if self._failures < self._max_failures:
                return 0.0
            now = self._monotonic()
            if now < self._again_at:
                return self._again_at - now
            self._again_at = now + self._pause_s  # this caller tries, the others wait for what comes of it
            return 0.0

    def succeeded(self) -> None:
        """The partner answered, whatever it said."""
        with self._lock:
            self._failures, self._pause_s = 0, self._first_pause_s

    def failed(self, *, for_s: float | None = None, lasting: bool = False) -> None:
        """The partner did not.

        Args:
            for_s: How long it asked to be left alone.
            lasting: Whether the next call would fail as well.
        """
        with self._lock:
            self._failures = (
                max(self._max_failures, self._failures) if lasting or for_s is not None else self._failures + 1
            )
            if self._failures < self._max_failures:
                return
            pause_s = self._pause_s if for_s is None else min(for_s, _MAX_RETRY_AFTER_S)
            self._again_at = max(self._again_at, self._monotonic() + pause_s)
            self._pause_s = min(2 * self._pause_s, self._max_pause_s)
