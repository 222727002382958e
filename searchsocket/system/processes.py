"""Use all cores: map batches of work over workers, with results in order, and limit their work (spec 8.5)."""

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Generic, TypeVar

from searchsocket.project.settings.model import RunSettings
from searchsocket.system.bound import end_with_owner

T = TypeVar("T")
R = TypeVar("R")
_SAFE_PATH = "PYTHONSAFEPATH"

try:
    import resource
except ImportError:  # not on Windows, where no page is limited
    resource = None  # type: ignore[assignment]

_STATM = Path("/proc/self/statm")


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
    executor = _usable(make, workers) if workers or make_executor else None
    if executor is None:
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


def _usable(make: Callable[[int], Executor], workers: int) -> Executor | None:
    """Return an executor whose workers start; None if the main program cannot be imported again, for example."""
    executor = None
    try:
        executor = make(workers)
        executor.submit(int).result()
    except BrokenExecutor:
        if executor:
            executor.shutdown(wait=False)
        return None
    return executor


def _processes(workers: int) -> Executor:
    # Fork would copy the locks of the host's threads, for example Dagster's; a fork server starts clean.
    method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    context = multiprocessing.get_context(method)
    if method == "forkserver":
        context.set_forkserver_preload([f"searchsocket.pipeline.extraction.{name}" for name in ("job", "page_steps")])
        _start_server()
    try:
        return ProcessPoolExecutor(workers, mp_context=context, initializer=end_with_owner)
    except (OSError, ImportError) as error:  # some containers and AWS Lambda have no semaphores
        raise BrokenExecutor(f"this system starts no workers: {error}") from error


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


@contextmanager
def limited(limits: RunSettings | None) -> Iterator[None]:
    """Apply the limits of one page to this process; None = no limits.

    The limit is CPU time, and the system ends the process: parsers and regular expressions that never return to Python
    react to nothing else. If the system cannot measure a limit, that limit does not apply.
    """
    if limits is None or resource is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    allowed, most = resource.getrlimit(resource.RLIMIT_AS)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, limits.max_page_seconds)
    try:
        if (rss_bytes := _memory_bytes()) and most == resource.RLIM_INFINITY:
            resource.setrlimit(resource.RLIMIT_AS, (rss_bytes + limits.max_page_memory_mb * 1_000_000, most))
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_AS, (allowed, most))


def _memory_bytes() -> int:
    """Address space of this process in bytes; 0 if the system does not report it."""
    try:
        pages = int(_STATM.read_text(encoding="ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * resource.getpagesize()
