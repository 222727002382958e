"""Keep the garbage collector from slowing down code that loads many objects and frees few."""

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loading() -> Iterator[None]:
    """Disable the collector inside the block: Dagster creates 400,000 objects while loading, which it would scan."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def keep_loaded() -> None:
    """Exclude all current objects from collection; once per process, since current garbage then stays."""
    if not gc.get_freeze_count():
        gc.freeze()


def end_at_once() -> None:
    """Skip garbage collection at the end of the process, which would scan all loaded objects several times.

    Only for programs that close resources by `weakref.finalize` and `atexit`, which still run.
    """
    atexit.unregister(gc.freeze)
    atexit.register(gc.freeze)
