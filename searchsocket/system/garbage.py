"""The collector of garbage, kept out of the way of what loads much and throws little away."""

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loading() -> Iterator[None]:
    """Look for no garbage inside: Dagster makes 400,000 objects as it is loaded, through which it would look again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def keep_loaded() -> None:
    """Never look through what is there by now; once a process, since what is garbage by then stays."""
    if not gc.get_freeze_count():
        gc.freeze()


def end_at_once() -> None:
    """Look for no garbage as the process ends: the interpreter would look through all that was loaded, several times.

    For whoever leaves nothing to be closed but by `weakref.finalize` and `atexit`, which run as ever.
    """
    atexit.unregister(gc.freeze)
    atexit.register(gc.freeze)
