"""Exit statuses of commands, and the signal that stopped one: uvicorn installs its own handlers."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from types import FrameType

OK = 0
FAILED = 1
USAGE = 2
MISSING = 3
STOPPED = 4
BUSY = 5

HELP = """\b
Exit status:
  0    success (also if nothing changed, or no result matched)
  1    the run failed, or a check of `doctor` failed
  2    wrong usage or configuration
  3    something is missing: the site, an index, a key
  4    a limit stopped it: cost, deletion, routes, branches, golden queries;
       or another machine published first
  5    busy or unreachable; try again later
  130  interrupted (143 by SIGTERM); `serve` ends with 0
"""

_OF_CODE = {
    "CONFIG_INVALID": USAGE,
    "INVALID_REQUEST": USAGE,
    "UNKNOWN_FACET": USAGE,
    "UNKNOWN_VERSION": USAGE,
    "INVALID_SCOPE": USAGE,
    "PROJECT_MISMATCH": USAGE,
    "EMBEDDING_MODEL_MISMATCH": USAGE,
    "CONFIG_MISSING": MISSING,
    "SCOPE_NOT_INDEXED": MISSING,
    "NO_GENERATION_BEFORE": MISSING,
    "GENERATION_NOT_KEPT": MISSING,
    "SOURCE_UNAVAILABLE": MISSING,
    "PAGE_NOT_FOUND": MISSING,
    "CONTINUATION_GONE": MISSING,
    "CHUNK_GONE": MISSING,
    "PAGE_TEXTS_MISSING": MISSING,
    "BUDGET_EXCEEDED": STOPPED,
    "BUDGET_MISSING": STOPPED,
    "LARGE_DELETION": STOPPED,
    "ROUTES_NOT_EXACT": STOPPED,
    "BRANCHES_UNKNOWN": STOPPED,
    "CANDIDATE_REFUSED": STOPPED,
    "RECALL_TOO_LOW": STOPPED,
    "PUBLISHED_ELSEWHERE": STOPPED,
    "ADDRESS_IN_USE": BUSY,
    "SCOPE_LOCKED": BUSY,
    "LEASE_LOST": BUSY,
    "ALREADY_RUNNING": BUSY,
    "EMBEDDER_UNAVAILABLE": BUSY,
    "VECTOR_BACKEND_UNAVAILABLE": BUSY,
    "CLUSTER_UNAVAILABLE": BUSY,
    "ARTIFACTS_UNAVAILABLE": BUSY,
    "RATE_LIMITED": BUSY,
}
_ENDING = (signal.SIGINT, signal.SIGTERM)
_received: list[int] = []
_reader: list[int] = []


def exit_status(code: str) -> int:
    """Return the exit status for an error code; `FAILED` for other codes."""
    return _OF_CODE.get(code, FAILED)


@contextmanager
def watch_signals() -> Iterator[None]:
    """Treat SIGTERM like Ctrl-C, and remember which of the two arrived. For the main thread only."""
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    os.set_blocking(writer, False)
    # The interpreter writes each signal's number here, for every Python handler.
    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    handler = signal.signal(signal.SIGTERM, signal.default_int_handler)
    _reader.append(reader)
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        signal.signal(signal.SIGTERM, handler)
        _reader.clear()
        _received.clear()
        os.close(reader)
        os.close(writer)


def signals_noted() -> AbstractContextManager[None]:
    """Only remember signals while code runs that calls `received_signal` itself."""
    return _handled_by(lambda *_: None)


def signals_raised() -> AbstractContextManager[None]:
    """Raise `KeyboardInterrupt` in the block for SIGINT and SIGTERM."""
    return _handled_by(signal.default_int_handler)


def signals_final() -> AbstractContextManager[None]:
    """End the process at once on SIGINT and SIGTERM: a thread that waits for stdin cannot be interrupted."""
    return _handled_by(lambda number, _: os._exit(128 + number))


@contextmanager
def _handled_by(handler: Callable[[int, FrameType | None], object]) -> Iterator[None]:
    """Handle SIGINT and SIGTERM in the block; without effect outside of the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number in _ENDING}
    try:
        yield
    finally:
        for number, previous in before.items():
            signal.signal(number, previous or signal.SIG_DFL)  # None: not from Python


def received_signal() -> int:
    """Return the first SIGINT or SIGTERM since `watch_signals` began; 0 without a signal."""
    for reader in _reader:
        with suppress(BlockingIOError):  # nothing new
            _received.extend(number for number in os.read(reader, 4096) if number in _ENDING)
    return _received[0] if _received else 0
