"""Memory of this process that nothing holds any more."""

import ctypes
from contextlib import suppress


def return_freed_memory() -> None:
    """Give the system what was freed, where the C library keeps it: glibc does, for each thread that ever ran.

    Worth its milliseconds where much was freed and as much is taken again by others: by other threads, or other
    libraries.
    """
    with suppress(OSError, TypeError, AttributeError):  # another C library
        ctypes.CDLL(None).malloc_trim(0)
