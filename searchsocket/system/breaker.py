"""Circuit breaker: stop calling a service for a while after repeated failures, so that callers do not wait in vain.

pybreaker is not used: it keeps its lock during the call, so one slow response blocks all; and it uses the wall clock.
"""

import threading
import time
from collections.abc import Callable

_MAX_RETRY_AFTER_S = 600.0  # upper limit for a requested pause


class Breaker:
    """Counts failures of one service; safe to share between threads.

    Args:
        monotonic: Clock in seconds.
        max_failures: Consecutive failures that open the breaker.
        pause_s: First pause. After a pause, only one call may try until its outcome is known.
        max_pause_s: Each failed trial doubles the pause up to this; None = constant pause.
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
        """Return True if a call may be tried; the caller must then report its outcome."""
        return self.wait_s() == 0.0

    def wait_s(self) -> float:
        """0: a call may be tried, and the caller must report its outcome; otherwise seconds to wait before a call."""
        with self._lock:
            if self._failures < self._max_failures:
                return 0.0
            now = self._monotonic()
            if now < self._again_at:
                return self._again_at - now
            self._again_at = now + self._pause_s  # this caller tries, the others wait for its outcome
            return 0.0

    def succeeded(self) -> None:
        """Report that the service responded, with any result."""
        with self._lock:
            self._failures, self._pause_s = 0, self._first_pause_s

    def failed(self, *, for_s: float | None = None, lasting: bool = False) -> None:
        """Report that the service did not respond.

        Args:
            for_s: The pause that it requested.
            lasting: True if the next call would fail too.
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
