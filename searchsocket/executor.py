"""One way to use all cores: batches of work mapped over processes, results in order."""

import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

_ATTEMPTS = 3


def default_workers() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def map_batches(
    work: Callable[[T], R],
    batches: Iterable[T],
    *,
    workers: int,
    make_executor: Callable[[int], Executor] | None = None,
) -> Iterator[R]:
    """Apply `work` to every batch, in order, with bounded memory: two batches a worker are under way at once.

    A worker that dies (out of memory, killed) costs a retry of the batches that it held; a batch that kills
    its worker every time is run in this process, where its error can be seen.

    Args:
        work: A module-level function; pure, so that a retry is harmless.
        batches: Picklable.
        workers: 1 runs everything in this process.
        make_executor: Called with `workers`; default: processes.
    """
    if workers <= 1:
        yield from map(work, batches)
        return
    make = make_executor or _processes
    source = iter(batches)
    waiting: deque[tuple[T, Future[R]]] = deque()
    executor = make(workers)
    try:
        for batch in islice(source, workers * 2):
            waiting.append((batch, executor.submit(work, batch)))
        while waiting:
            batch, future = waiting.popleft()
            attempts = 1
            while True:
                try:
                    result = future.result()
                    break
                except BrokenProcessPool:
                    executor.shutdown(wait=False, cancel_futures=True)
                    executor = make(workers)
                    # Every batch that was under way died with the pool.
                    waiting = deque((other, executor.submit(work, other)) for other, _ in waiting)
                    attempts += 1
                    if attempts > _ATTEMPTS:
                        result = work(batch)
                        break
                    future = executor.submit(work, batch)
            yield result
            for batch in islice(source, 1):
                waiting.append((batch, executor.submit(work, batch)))
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


def _processes(workers: int) -> Executor:
    # Fork would copy the threads' locks of a host such as Dagster; a fork server starts clean.
    context = multiprocessing.get_context(
        "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    )
    if hasattr(context, "set_forkserver_preload"):
        context.set_forkserver_preload(["searchsocket.pipeline.extraction"])
    return ProcessPoolExecutor(workers, mp_context=context)
