"""Leaving alone, for a while, what has failed several times in a row.

pybreaker holds its lock while it calls, so that one slow answer makes all wait, and reads the clock of the wall.
"""

import threading
import time
from collections.abc import Callable

_MAX_FAILURES = 3
_FIRST_PAUSE_S, _MAX_PAUSE_S = 1.0, 30.0


class CircuitBreaker:
    """Refuses calls to what is away but for one a pause, whose outcome decides; safe to share between threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Args: clock: seconds, never going back."""
        self._clock = clock
        self._lock = threading.Lock()
        self._failures = 0  # in a row
        self._pause_s = _FIRST_PAUSE_S
        self._again_at = 0.0

    def wait_s(self) -> float:
        """0: call it, and tell the outcome; else for how many seconds it is not worth it."""
        with self._lock:
            if self._failures < _MAX_FAILURES:
                return 0.0
            now = self._clock()
            if now < self._again_at:
                return self._again_at - now
            self._again_at = now + self._pause_s  # this caller tries, the others wait for what comes of it
            return 0.0

    def succeeded(self) -> None:
        """It answered, whatever it said."""
        with self._lock:
            self._failures, self._pause_s = 0, _FIRST_PAUSE_S

    def failed(self) -> None:
        """It did not answer."""
        with self._lock:
            self._failures += 1
            if self._failures >= _MAX_FAILURES:
                self._again_at = self._clock() + self._pause_s
                self._pause_s = min(2 * self._pause_s, _MAX_PAUSE_S)
