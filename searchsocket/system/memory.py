"""Return freed memory of this process to the system."""

import ctypes
from contextlib import suppress

_M_MMAP_THRESHOLD = -3  # in glibc's malloc.h
_LARGE_BYTES = 131_072  # glibc's default, until a larger block is freed for the first time


def return_freed_memory() -> None:
    """Return freed memory to the system if the C library keeps it: glibc does, for each thread that ever ran.

    From then on, freed large blocks are returned at once. Otherwise glibc keeps blocks of up to 32 MB for reuse, and
    puts small long-lived blocks between them. After tantivy, which allocates megabyte blocks, a process would stay
    nearly as large as at its peak, and the next word index would add to that.

    Worth its milliseconds if much was freed, and other threads or libraries will allocate as much again.
    """
    with suppress(OSError, TypeError, AttributeError):  # another C library
        libc = ctypes.CDLL(None)
        libc.mallopt(_M_MMAP_THRESHOLD, _LARGE_BYTES)
        libc.malloc_trim(0)
