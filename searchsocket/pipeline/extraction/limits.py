"""Limits for one page in a worker: CPU time, which ends the worker, and memory, which fails the page."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from searchsocket.project.settings.model import RunSettings

try:
    import resource
except ImportError:  # not on Windows, where no page is limited
    resource = None  # type: ignore[assignment]

_STATM = Path("/proc/self/statm")


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
