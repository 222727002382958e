"""Bounded cache of lookups, because callers choose the keys."""

from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class BoundedCache(Generic[K, V]):
    """A mapping that drops its earlier values when it is full; safe to share between threads without a lock.

    A full mapping is replaced and never emptied, so a thread that reads `values` keeps a complete mapping.
    """

    __slots__ = ("_size", "_size_of", "limit", "values")

    def __init__(self, limit: int, size_of: Callable[[V], int] | None = None) -> None:
        """Args: limit: of the number of values, or with `size_of` of the sum of their sizes."""
        self.limit = limit
        self.values: dict[K, V] = {}  # to be read only
        self._size_of = size_of
        self._size = 0

    def remember(self, values: Mapping[K, V]) -> None:
        """Store new values; they replace all earlier ones if both together exceed the limit."""
        size = sum(map(self._size_of, values.values())) if self._size_of else len(values)
        before = self._size if self._size_of else len(self.values)
        if before + size > self.limit:
            self.values, self._size = dict(values), size
        else:
            self.values.update(values)
            self._size = before + size

    def remember_one(self, key: K, value: V) -> None:
        """Store one value, as `remember` does."""
        self.remember({key: value})
