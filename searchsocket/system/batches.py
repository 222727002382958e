"""Split a stream into batches (`itertools.batched` needs Python 3.12)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield lists of at most `size` items, in order."""
    source = iter(items)
    while batch := list(islice(source, size)):
        yield batch


def packed(items: Sequence[T], size: int, max_weight: int, weight_of: Callable[[T], int]) -> Iterator[Sequence[T]]:
    """Yield runs of consecutive items within both limits; an item heavier than the limit is alone."""
    start = weight = 0
    for end, item in enumerate(items):
        own = weight_of(item)
        if end > start and (end - start == size or weight + own > max_weight):
            yield items[start:end]
            start, weight = end, 0
        weight += own
    if items:
        yield items[start:]
