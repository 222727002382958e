"""Keeps callers from waiting for a provider that fails again and again."""

import threading
from collections.abc import Callable
from datetime import datetime, timedelta

_FAILURES = 5  # in a row
_REST = timedelta(seconds=10)


class Breaker:
    """Open after five failures in a row; then one call each ten seconds may find out whether it is well again."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._failures = 0
        self._next_trial = datetime.min

    def lets_through(self) -> bool:
        """Whether a call may be made now."""
        with self._lock:
            if self._failures < _FAILURES:
                return True
            now = self._clock()
            if now < self._next_trial:
                return False
            self._next_trial = now + _REST
            return True

    def succeeded(self) -> None:
        with self._lock:
            self._failures = 0

    def failed(self) -> None:
        with self._lock:
            self._failures += 1
            if self._failures == _FAILURES:
                self._next_trial = self._clock() + _REST
