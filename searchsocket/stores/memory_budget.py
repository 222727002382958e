"""Memory budget of open indexes, shared by the stores of several projects."""

import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass


@dataclass(slots=True)
class _Entry:
    bytes: int
    close: Callable[[], None]
    used_at: float


class MemoryBudget:
    """Closes the least recently used entries above a bound; safe to share between threads."""

    def __init__(self, max_bytes: int, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.max_bytes = max_bytes
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._entries: dict[Hashable, _Entry] = {}  # the last used one at the end

    @property
    def used_bytes(self) -> int:
        """Estimate of all open entries."""
        with self._lock:
            return self._total()

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, key: Hashable, size: int, close: Callable[[], None]) -> None:
        """Count an open entry, which replaces one of the same key; it stays open even if it is too large alone.

        Args:
            size: Estimate in bytes.
            close: Called once, from any thread, to close the entry, which is no longer counted then.
        """
        with self._lock:
            self._entries.pop(key, None)
            self._entries[key] = _Entry(size, close, self._monotonic())
            total = self._total()
            victims = []
            for other in list(self._entries)[:-1]:
                if total <= self.max_bytes:
                    break
                victims.append(self._entries.pop(other))
                total -= victims[-1].bytes
        for victim in victims:
            victim.close()

    def touch(self, key: Hashable) -> None:
        """Record a use."""
        with self._lock:
            if entry := self._entries.pop(key, None):
                entry.used_at = self._monotonic()
                self._entries[key] = entry

    def remove(self, key: Hashable) -> None:
        """Stop counting an entry that its owner closed."""
        with self._lock:
            self._entries.pop(key, None)

    def close_unused(self, max_idle_s: float) -> None:
        """Close entries that nobody used for so long."""
        with self._lock:
            oldest = self._monotonic() - max_idle_s
            keys = [key for key, entry in self._entries.items() if entry.used_at < oldest]
            victims = [self._entries.pop(key) for key in keys]
        for victim in victims:
            victim.close()

    def _total(self) -> int:
        return sum(entry.bytes for entry in self._entries.values())
