"""The time between SIGTERM and the end, in which a load balancer turns to other servers."""

import time
from collections.abc import Callable
from typing import Protocol


class StopNotice(Protocol):
    """An event of a thread or of processes: set once the server was told to stop."""

    def set(self) -> None: ...

    def is_set(self) -> bool: ...


class Drain:
    """Goes on answering for a while after the first SIGTERM; used by one thread and its signal handlers."""

    def __init__(self, duration_s: float, notice: StopNotice, monotonic: Callable[[], float] = time.monotonic) -> None:
        """
        Args:
            notice: Is set when the drain begins.
        """
        self.notice = notice
        self._duration_s = duration_s
        self._monotonic = monotonic
        self._deadline: float | None = None

    def begin(self) -> bool:
        """Begin; False if there is nothing to wait for, or the drain began before: then stop now."""
        if not self._duration_s or self._deadline is not None:
            return False
        self._deadline = self._monotonic() + self._duration_s
        self.notice.set()
        return True

    def is_over(self) -> bool:
        """Return True if the drain began and its time is up."""
        return self._deadline is not None and self._monotonic() >= self._deadline
