"""A breaker: who failed several times in a row is left alone for a while, so that nobody waits for him in vain."""

import threading
import time
from collections.abc import Callable

_FAILURES = 3  # in a row
_PAUSE_S = 30.0
_MAX_PAUSE_S = 600.0  # who asks for a longer one is asked again sooner


class Breaker:
    """Counts failures of one partner; safe to share between threads.

    Args:
        monotonic: Tells seconds.
    """

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._failures = 0
        self._until = 0.0

    def lets_through(self) -> bool:
        """Whether a call may be tried; of those that come after the pause, one alone until it is known how it went."""
        with self._lock:
            if self._failures < _FAILURES:
                return True
            if (now := self._monotonic()) < self._until:
                return False
            self._until = now + _PAUSE_S
            return True

    def succeeded(self) -> None:
        """The partner answered."""
        with self._lock:
            self._failures = 0

    def failed(self, *, for_s: float | None = None, lasting: bool = False) -> None:
        """The partner did not.

        Args:
            for_s: How long it asked to be left alone.
            lasting: Whether the next call would fail as well.
        """
        with self._lock:
            self._failures = _FAILURES if lasting or for_s is not None else self._failures + 1
            pause = _PAUSE_S if for_s is None else min(for_s, _MAX_PAUSE_S)
            self._until = max(self._until, self._monotonic() + pause)
