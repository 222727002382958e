"""A value that may be a little old, so that it costs the same however often it is asked for."""

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Recent(Generic[T]):
    """Keeps a value for a while; safe to share between threads, of which one makes it anew."""

    def __init__(self, max_age_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._max_age_s = max_age_s
        self._clock = clock
        self._lock = threading.Lock()
        self._made: tuple[float, T] | None = None

    def get(self, make: Callable[[], T]) -> T:
        """The value, made anew where it is too old."""
        with self._lock:
            if self._made is None or self._clock() >= self._made[0] + self._max_age_s:
                self._made = self._clock(), make()
            return self._made[1]
