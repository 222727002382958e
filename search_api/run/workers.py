"""Several worker processes at one address, under uvicorn's supervisor, which restarts dead workers.

Workers share the listening socket, the pages of an index in memory, and the Prometheus metrics, but nothing else.
"""

import contextlib
import logging
import multiprocessing
import os
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import uvicorn
from fastapi import FastAPI
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors import Multiprocess

from searchsocket.errors import ConfigError

METRICS_DIR = "PROMETHEUS_MULTIPROC_DIR"  # prometheus_client reads it at its import
HUNG_S = 30  # a worker that does not respond for so long is killed and restarted
_log = logging.getLogger("searchsocket.api")


class StopNotice(Protocol):
    """An event of threads or processes, set after the signal to stop."""

    def set(self) -> None: ...

    def is_set(self) -> bool: ...


class Drain:
    """Delays the stop after the first SIGTERM; used by one thread and its signal handlers."""

    def __init__(self, duration_s: float, notice: StopNotice) -> None:
        """
        Args:
            notice: Set when the drain begins.
        """
        self.notice = notice
        self._duration_s = duration_s
        self._deadline: float | None = None

    def begin(self) -> bool:
        """Begin the drain; return False if the server must stop now: without a duration, or at a second signal."""
        if not self._duration_s or self._deadline is not None:
            return False
        self._deadline = time.monotonic() + self._duration_s
        self.notice.set()
        return True

    def is_over(self) -> bool:
        """Return True if the drain began and its time is up."""
        return self._deadline is not None and time.monotonic() >= self._deadline


@dataclass(frozen=True, slots=True)
class Workers:
    """Number and application of the worker processes; sent to each, so it may contain no open file."""

    count: int
    app: Callable[[], FastAPI]


class Supervisor(Multiprocess):
    """Calls back when all workers answer, and logs those that died."""

    def __init__(
        self, config: uvicorn.Config, listener: socket.socket, on_started: Callable[[], None], drain: Drain
    ) -> None:
        super().__init__(config, [listener])
        self._on_started: Callable[[], None] | None = on_started
        self._drain = drain

    def init_processes(self) -> None:
        with _without_interrupt():
            super().init_processes()

    def keep_subprocess_alive(self) -> None:
        before = list(self.processes)
        with _without_interrupt():
            super().keep_subprocess_alive()
        for old, new in zip(before, self.processes, strict=True):
            if old is not new:
                _log.warning("a worker ended with status %s; started a new one", old.exitcode)
        if self._on_started and not self.should_exit.is_set() and all(process.is_ready() for process in self.processes):
            self._on_started()
            self._on_started = None
        if self._drain.is_over():
            self.should_exit.set()

    def handle_term(self) -> None:
        if not self._drain.begin():
            super().handle_term()

    def handle_hup(self) -> None:
        """Stop without a drain: the terminal is closed, so nobody can press Ctrl-C."""
        super().handle_term()


def supervise(config: uvicorn.Config, listener: socket.socket, on_started: Callable[[], None], drain: Drain) -> None:
    """Run `config.workers` processes until SIGTERM or Ctrl-C, then let each finish its running requests.

    Raises:
        ConfigError: A worker could not start.
    """
    with tempfile.TemporaryDirectory(prefix="searchsocket-metrics-") as folder, _environ(METRICS_DIR, folder):
        supervisor = Supervisor(config, listener, on_started, drain)
        supervisor.run()
    if any(process.exitcode == STARTUP_FAILURE for process in supervisor.processes):
        raise ConfigError("a worker could not start; run `searchsocket serve` without --workers to see the error")


def end_with_the_supervisor() -> None:
    """Stop this worker when its supervisor ends for any reason."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def wait() -> None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, daemon=True).start()


@contextlib.contextmanager
def _without_interrupt() -> Iterator[None]:
    """Block Ctrl-C in processes started here: a terminal sends it to all, but the supervisor must end them."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def _environ(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        del os.environ[name]
        if before is not None:
            os.environ[name] = before
