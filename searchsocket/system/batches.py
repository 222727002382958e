"""Cutting a stream into batches (`itertools.batched` comes with Python 3.12)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Lists of at most `size` items, in order."""
    source = iter(items)
    while batch := list(islice(source, size)):
        yield batch


def packed(items: Sequence[T], size: int, max_weight: int, weight_of: Callable[[T], int]) -> Iterator[Sequence[T]]:
    """Neighbours together, as many as both limits allow; an item that is heavier than the limit is alone."""
    start = weight = 0
    for end, item in enumerate(items):
        own = weight_of(item)
        if end > start and (end - start == size or weight + own > max_weight):
            yield items[start:end]
            start, weight = end, 0
        weight += own
    if items:
        yield items[start:]
