"""Batches in workers, in order; after a worker died, the suspected batches are split and tried one at a time."""

from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")


@dataclass(slots=True, eq=False)
class Item(Generic[T, R]):
    """One batch and its future result."""

    batch: T
    future: Future[R] | None = None  # None: not yet sent to a worker
    alone: bool = False  # it may have killed a worker, so nothing runs beside it

    def is_done(self) -> bool:
        """Return True if its result has arrived, even if its worker died later."""
        future = self.future
        return future is not None and future.done() and not future.cancelled() and future.exception() is None


class BatchQueue(Generic[T, R]):
    """Sends batches to an executor and returns their results in order."""

    def __init__(self, work: Callable[[T], R], split: Callable[[T], Sequence[T]], executor: Executor) -> None:
        self._work = work
        self._split = split
        self._executor = executor
        self._items: deque[Item[T, R]] = deque()

    @property
    def first(self) -> Item[T, R]:
        return self._items[0]

    def fill(self, source: Iterator[T], size: int) -> bool:
        """Take batches until there are `size`; return True if there are any."""
        self._items.extend(Item(batch) for batch in islice(source, max(0, size - len(self._items))))
        return bool(self._items)

    def first_result(self) -> R:
        """Wait for the result of the first item; others run at the same time if they may.

        Raises:
            Exception: Its worker died, or `work` failed.
        """
        for item in self._side_by_side():
            item.future = item.future or self._executor.submit(self._work, item.batch)
        assert self.first.future is not None
        return self.first.future.result()

    def _side_by_side(self) -> Iterator[Item[T, R]]:
        """The items that may run at the same time: the first, and those before the next that must be alone."""
        yield self.first
        if not self.first.alone:
            for item in islice(self._items, 1, None):
                if item.alone:
                    return
                yield item

    def suspects(self) -> list[Item[T, R]]:
        """The items that may have killed a worker: all that were running without a result."""
        return [item for item in self._items if item.future is not None and not item.is_done()]

    def isolate(self, suspects: Collection[Item[T, R]]) -> None:
        """Repeat the suspects in parts, each alone, and other items without a result as before."""
        items = list(self._items)
        self._items.clear()
        for item in items:
            if item.is_done():
                self._items.append(item)
                continue
            if item.future is not None:
                item.future.cancel()
            if item in suspects:
                self._items.extend(Item(part, alone=True) for part in self._split(item.batch))
            else:
                self._items.append(Item(item.batch, alone=item.alone))

    def acquit(self) -> None:
        """Clear the suspicion of the other items: the first one killed the worker."""
        for item in self._items:
            item.alone = False

    def drop_first(self) -> None:
        self._items.popleft()

    def replace_executor(self, make: Callable[[], Executor]) -> None:
        """Continue with a new executor, since the last one is broken."""
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._executor = make()

    def close(self) -> None:
        """Stop the workers."""
        self._executor.shutdown(wait=True, cancel_futures=True)
