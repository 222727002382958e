"""Cutting a stream into batches (`itertools.batched` comes with Python 3.12)."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Lists of at most `size` items, in order."""
    source = iter(items)
    while batch := list(islice(source, size)):
        yield batch
