"""Bounded cache of lookups, because callers choose the keys."""

from collections.abc import Mapping
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class BoundedCache(Generic[K, V]):
    """A mapping that drops its earlier values when it is full; safe to share between threads without a lock.

    A full mapping is replaced and never emptied, so a thread that reads `values` keeps a complete mapping.
    """

    __slots__ = ("limit", "values")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.values: dict[K, V] = {}  # to be read only

    def remember(self, values: Mapping[K, V]) -> None:
        """Store new values; they replace all earlier ones if both together exceed the limit."""
        if len(self.values) + len(values) > self.limit:
            self.values = dict(values)
        else:
            self.values.update(values)

    def remember_one(self, key: K, value: V) -> None:
        """Store one value, as `remember` does."""
        if len(self.values) >= self.limit:
            self.values = {key: value}
        else:
            self.values[key] = value
