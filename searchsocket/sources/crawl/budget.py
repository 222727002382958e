"""Limits of one crawl; the crawl ends at a limit and names the setting."""

import threading
from collections.abc import Callable


class CrawlBudget:
    """Limits on time and on consecutive failures. Shared by the threads of a crawl."""

    def __init__(self, *, max_seconds: float, max_failures_in_row: int, monotonic: Callable[[], float]) -> None:
        self._max_seconds = max_seconds
        self._max_failures = max_failures_in_row
        self._monotonic = monotonic
        self._ends = monotonic() + max_seconds
        self._lock = threading.Lock()
        self._in_row = 0
        self.limit = ""  # the limit that ended the crawl, in words; "" while it runs

    def remaining_s(self) -> float:
        """Seconds until the crawl ends; 0 if it has ended."""
        remaining_s = self._ends - self._monotonic()
        if remaining_s <= 0:
            self._end(f"source.crawl.max_seconds = {self._max_seconds:g}")
        return 0.0 if self.limit else remaining_s

    def is_over(self) -> bool:
        return self.remaining_s() <= 0

    def count(self, *, failed: bool) -> None:
        """Count one page: an answer, or a failure that a retry might fix."""
        with self._lock:
            self._in_row = self._in_row + 1 if failed else 0
            broken = self._in_row >= self._max_failures
        if broken:
            self._end(f"source.crawl.max_failures_in_row = {self._max_failures}")

    def _end(self, limit: str) -> None:
        with self._lock:
            self.limit = self.limit or limit
