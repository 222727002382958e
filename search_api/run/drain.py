"""Drain period after SIGTERM, in which a load balancer switches to other servers."""

import time
from collections.abc import Callable
from typing import Protocol


class StopNotice(Protocol):
    """An event of threads or processes, set after the signal to stop."""

    def set(self) -> None: ...

    def is_set(self) -> bool: ...


class Drain:
    """Delays the stop after the first SIGTERM; used by one thread and its signal handlers."""

    def __init__(self, duration_s: float, notice: StopNotice, monotonic: Callable[[], float] = time.monotonic) -> None:
        """
        Args:
            notice: Set when the drain begins.
        """
        self.notice = notice
        self._duration_s = duration_s
        self._monotonic = monotonic
        self._deadline: float | None = None

    def begin(self) -> bool:
        """Begin the drain; return False if the server must stop now: without a duration, or at a second signal."""
        if not self._duration_s or self._deadline is not None:
            return False
        self._deadline = self._monotonic() + self._duration_s
        self.notice.set()
        return True

    def is_over(self) -> bool:
        """Return True if the drain began and its time is up."""
        return self._deadline is not None and self._monotonic() >= self._deadline
