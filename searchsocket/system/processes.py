"""Use all cores: map batches of work over workers, with results in order (spec 8.5)."""

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor
from pathlib import Path
from typing import TypeVar

from searchsocket.system.batch_queue import BatchQueue
from searchsocket.system.bound import end_with_owner

T = TypeVar("T")
R = TypeVar("R")
_SAFE_PATH = "PYTHONSAFEPATH"


class WorkersDied(Exception):
    """Every worker of a batch died, in an executor that retries by itself."""


def default_workers(load: Path = Path("/proc/loadavg")) -> int:
    """The number of free cores that this process may use, at least one.

    More workers than free cores cost start-up and transfer time, and save no time.
    """
    machine = os.cpu_count() or 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else machine
    return max(1, cores - int(_others_at_work(load) * cores / machine))


def _others_at_work(load: Path) -> float:
    """Number of other running processes on the machine; 0 if unknown.

    The lower one of the average of the last minute and the current number: a finished build still counts in the
    average, and many processes wake up only for a moment.
    """
    try:
        lasting, _, _, now, *_ = load.read_text("ascii").split()
        return max(min(float(lasting), float(now.partition("/")[0])) - 1, 0.0)
    except (OSError, ValueError):
        return 0.0


def map_batches(
    work: Callable[[T], R],
    batches: Iterable[T],
    *,
    workers: int,
    lost: Callable[[T], R],
    split: Callable[[T], Sequence[T]] = lambda batch: [batch],
    make_executor: Callable[[int], Executor] | None = None,
) -> Iterator[R]:
    """Apply `work` to every batch, in order, with at most two batches per worker in memory.

    A worker that dies (killed, out of memory) aborts the work of the others, and its batch is not known. So all running
    batches are split, and the parts are tried again one at a time. A part that kills a worker again is given up, and
    all other parts give their results.

    Args:
        work: A pure module-level function, so that retries are harmless.
        batches: Picklable.
        workers: 0 runs everything in this process, unless an executor is given.
        lost: Returns the result of a part that was given up.
        split: Splits a batch into parts, each with its own result if the batch is tried again.
        make_executor: Called with a number of workers; default: processes.
    """
    make = make_executor or _processes
    executor = make(workers) if workers or make_executor else None
    if executor is None or not _is_usable(executor):
        yield from map(work, batches)
        return
    source = iter(batches)
    queue = BatchQueue(work, split, executor)
    try:
        while queue.fill(source, 2 * workers):
            try:
                result = queue.first_result()
            except (WorkersDied, BrokenExecutor) as error:
                if isinstance(error, BrokenExecutor):  # all running batches ended with the pool
                    queue.replace_executor(lambda: make(workers))
                if not queue.first.alone:
                    queue.isolate([queue.first] if isinstance(error, WorkersDied) else queue.suspects())
                    continue
                result = lost(queue.first.batch)
                queue.acquit()
            queue.drop_first()
            yield result
    finally:
        queue.close()


def _is_usable(executor: Executor) -> bool:
    """Return True if workers start; they do not if the main program cannot be imported again."""
    try:
        executor.submit(int).result()
    except BrokenExecutor:
        executor.shutdown(wait=False)
        return False
    return True


def _processes(workers: int) -> Executor:
    # Fork would copy the locks of the host's threads, for example Dagster's; a fork server starts clean.
    method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    context = multiprocessing.get_context(method)
    if method == "forkserver":
        context.set_forkserver_preload([f"searchsocket.pipeline.extraction.{name}" for name in ("job", "page_steps")])
        _start_server()
    return ProcessPoolExecutor(workers, mp_context=context, initializer=end_with_owner)


def _start_server() -> None:
    """Start the fork server so that it imports no module from the current folder, which may be a project's."""
    from multiprocessing import forkserver

    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        forkserver.ensure_running()
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before
