"""This process: its running time, and its memory: return freed memory, and start without garbage collection."""

import atexit
import ctypes
import gc
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_M_MMAP_THRESHOLD = -3  # in glibc's malloc.h
_LARGE_BYTES = 131_072  # glibc's default, until a larger block is freed for the first time

_loaded = time.monotonic()


def return_freed_memory() -> None:
    """Return freed memory to the system if the C library keeps it: glibc does, for each thread that ever ran.

    From then on, freed large blocks are returned at once. Otherwise glibc keeps blocks of up to 32 MB for reuse, and
    puts small long-lived blocks between them. A process would then stay nearly as large as at its peak.

    Worth its milliseconds if much was freed, and other threads or libraries will allocate as much again.
    """
    with suppress(OSError, TypeError, AttributeError):  # another C library
        libc = ctypes.CDLL(None)
        libc.mallopt(_M_MMAP_THRESHOLD, _LARGE_BYTES)
        libc.malloc_trim(0)


@contextmanager
def without_collector() -> Iterator[None]:
    """Disable the collector inside the block."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def loading() -> Iterator[None]:
    """Disable the collector inside the block, and exclude from later collections all objects that exist at its end.

    Modules create 100,000 objects and more, Dagster 400,000, which stay to the end of the process. Garbage of the block
    stays too, with the files that it has open, so objects are excluded only once in a process.
    """
    with without_collector():
        yield
        if not gc.get_freeze_count():
            gc.freeze()


def end_at_once() -> None:
    """Skip garbage collection at the end of the process, which would scan all loaded objects several times.

    Only for programs that close resources by `atexit`, which still runs.
    """
    atexit.unregister(gc.freeze)
    atexit.register(gc.freeze)


def process_age_s() -> float:
    """Seconds since the start of the process; if unknown, since this module was loaded."""
    with suppress(OSError, ValueError, IndexError, AttributeError):
        # The second field, the program's name, may contain anything; the start time is the 22nd.
        fields = Path("/proc/self/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        return time.clock_gettime(time.CLOCK_BOOTTIME) - int(fields[19]) / os.sysconf("SC_CLK_TCK")
    return time.monotonic() - _loaded
