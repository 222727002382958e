"""One way to use all cores: batches of work mapped over workers, results in order (spec 8.5)."""

import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

from searchsocket.system.lifetime import end_with_owner

T = TypeVar("T")
R = TypeVar("R")


class BatchGivenUp(Exception):
    """An executor that tries again by itself has seen every worker of a batch die."""


def default_workers() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def map_batches(
    work: Callable[[T], R],
    batches: Iterable[T],
    *,
    workers: int,
    lost: Callable[[T], R],
    split: Callable[[T], Sequence[T]] = lambda batch: [batch],
    make_executor: Callable[[int], Executor] | None = None,
) -> Iterator[R]:
    """Apply `work` to every batch, in order, holding two batches a worker at the most.

    A worker that dies (killed, out of memory) takes its neighbours' work along, and does not say which batch it died
    of. So what was under way is split, and the parts are tried again one at a time: the part that kills a worker
    again is given up, alone, and all the others give their results.

    Args:
        work: A module-level function; pure, so that a retry is harmless.
        batches: Picklable.
        workers: 0 runs everything in this process, unless an executor is given.
        lost: The result of a part that was given up.
        split: The parts of a batch, each with a result of its own when the batch had to be tried again.
        make_executor: Called with a number of workers; default: processes.
    """
    make = make_executor or _processes
    executor = make(workers) if workers or make_executor else None
    if executor is None or not _is_usable(executor):
        yield from map(work, batches)
        return
    source = iter(batches)
    waiting: deque[_UnderWay[T, R]] = deque()
    try:
        while True:
            waiting.extend(_UnderWay(batch) for batch in islice(source, max(0, workers * 2 - len(waiting))))
            if not waiting:
                return
            head = waiting[0]
            try:
                for item in islice(waiting, 1 if head.alone else None):
                    if item.alone and item is not head:
                        break
                    item.future = item.future or executor.submit(work, item.batch)
                result = head.result()
            except (BatchGivenUp, BrokenExecutor) as error:
                if isinstance(error, BrokenExecutor):  # everything under way died with the pool
                    executor.shutdown(wait=False, cancel_futures=True)
                    executor = make(workers)
                if not head.alone:
                    waiting = deque(_apart(waiting, split, head if isinstance(error, BatchGivenUp) else None))
                    continue
                result = lost(head.batch)
                for item in waiting:  # the others were suspected for its sake
                    item.alone = False
            waiting.popleft()
            yield result
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


@dataclass(slots=True)
class _UnderWay(Generic[T, R]):
    batch: T
    future: Future[R] | None = None
    alone: bool = False  # a worker may have died of it, so nothing is tried beside it

    def result(self) -> R:
        assert self.future is not None
        return self.future.result()

    def is_done(self) -> bool:
        """Whether its result is there, whatever became of its worker since."""
        future = self.future
        return future is not None and future.done() and not future.cancelled() and future.exception() is None


def _apart(
    waiting: Iterable[_UnderWay[T, R]], split: Callable[[T], Sequence[T]], culprit: _UnderWay[T, R] | None
) -> Iterator[_UnderWay[T, R]]:
    """What is under way, with the suspects in parts: `culprit`, where it is known, else all without a result."""
    for item in waiting:
        if item.is_done():
            yield item
            continue
        is_suspect = item is culprit if culprit else item.future is not None
        if item.future is not None:
            item.future.cancel()
        if is_suspect:
            yield from (_UnderWay(part, alone=True) for part in split(item.batch))
        else:
            yield _UnderWay(item.batch, alone=item.alone)


def _is_usable(executor: Executor) -> bool:
    """Whether workers start at all: they do not where the host program cannot be imported again."""
    try:
        executor.submit(int).result()
    except BrokenExecutor:
        executor.shutdown(wait=False)
        return False
    return True


def _processes(workers: int) -> Executor:
    # Fork would copy the locks of a host's threads, Dagster's for one; a fork server starts clean.
    method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    context = multiprocessing.get_context(method)
    if method == "forkserver":
        context.set_forkserver_preload(["searchsocket.pipeline.extraction.job"])
    return ProcessPoolExecutor(workers, mp_context=context, initializer=end_with_owner)
