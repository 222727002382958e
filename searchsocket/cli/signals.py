"""Remember the signal that stopped the process, because Dagster and uvicorn install their own handlers."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_ENDING = (signal.SIGINT, signal.SIGTERM)
_received: list[int] = []
_reader: list[int] = []


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


@contextmanager
def signals_noted() -> Iterator[None]:
    """Only remember signals while code runs that calls `received_signal` itself."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, lambda *_: None) for number in _ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler or signal.SIG_DFL)  # None: not from Python


def received_signal() -> int:
    """Return the first SIGINT or SIGTERM since `watch_signals` began; 0 without a signal."""
    for reader in _reader:
        with suppress(BlockingIOError):  # nothing new
            _received.extend(number for number in os.read(reader, 4096) if number in _ENDING)
    return _received[0] if _received else 0
