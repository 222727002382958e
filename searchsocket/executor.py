"""One way to use all cores: batches of work mapped over workers, results in order (DESIGN 9)."""

import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")

_ATTEMPTS = 3


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
    make_executor: Callable[[int], Executor] | None = None,
) -> Iterator[R]:
    """Apply `work` to every batch, in order, holding two batches a worker at the most.

    A worker that dies (killed, out of memory) costs a retry of what was under way. A batch that kills its worker
    every time is given up, so that it cannot take the whole run with it.

    Args:
        work: A module-level function; pure, so that a retry is harmless.
        batches: Picklable.
        workers: 1 runs everything in this process, unless an executor is given.
        lost: The result of a batch that was given up.
        make_executor: Called with a number of workers; default: processes.
    """
    make = make_executor or _processes
    executor = make(workers) if workers > 1 or make_executor else None
    if executor is None or not _is_usable(executor):
        yield from map(work, batches)
        return
    source = iter(batches)
    waiting: deque[_UnderWay[T, R]] = deque()
    failures = 0
    alone = False
    try:
        while True:
            waiting.extend(_UnderWay(batch) for batch in islice(source, workers * 2 - len(waiting)))
            if not waiting:
                return
            try:
                for item in islice(waiting, 1 if alone else None):
                    item.future = item.future or executor.submit(work, item.batch)
                result = waiting[0].result()
            except BatchGivenUp:
                if not alone:  # it may have died of its neighbours
                    alone = True
                    _take_back(waiting)
                    continue
                result = lost(waiting[0].batch)
            except BrokenExecutor:
                failures += 1
                executor.shutdown(wait=False, cancel_futures=True)
                _take_back(waiting)  # everything under way died with the pool
                if failures < _ATTEMPTS:
                    executor = make(1)  # alone, so that the blame falls on the right batch
                    continue
                result = lost(waiting[0].batch)
            if failures:
                executor.shutdown(wait=False, cancel_futures=True)
                executor = make(workers)
                failures = 0
                _take_back(waiting)
            waiting.popleft()
            alone = False
            yield result
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


@dataclass(slots=True)
class _UnderWay(Generic[T, R]):
    batch: T
    future: Future[R] | None = None

    def result(self) -> R:
        assert self.future is not None
        return self.future.result()


def _take_back(waiting: Iterable[_UnderWay[T, R]]) -> None:
    """Let everything be submitted again."""
    for item in waiting:
        if item.future is not None:
            item.future.cancel()
            item.future = None


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
        context.set_forkserver_preload(["searchsocket.pipeline.extraction"])
    return ProcessPoolExecutor(workers, mp_context=context)
