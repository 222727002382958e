"""Bounded cache of lookups, because callers choose what is looked up."""

from collections.abc import Mapping
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class BoundedCache(Generic[K, V]):
    """A mapping that begins anew when it is full; safe to share between threads without a lock.

    A thread that took `values` keeps what it took whole: a full mapping is replaced, never emptied.
    """

    __slots__ = ("limit", "values")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.values: dict[K, V] = {}  # to be read only

    def remember(self, values: Mapping[K, V]) -> None:
        """Keep what was looked up; what was kept before goes when both are too many."""
        if len(self.values) + len(values) > self.limit:
            self.values = dict(values)
        else:
            self.values.update(values)

    def remember_one(self, key: K, value: V) -> None:
        """Keep one value, as `remember` does."""
        if len(self.values) >= self.limit:
            self.values = {key: value}
        else:
            self.values[key] = value
