"""Memory of this process that nothing holds any more."""

import ctypes
from contextlib import suppress

_M_MMAP_THRESHOLD = -3  # in glibc's malloc.h
_LARGE_BYTES = 131_072  # glibc's own, until a larger block is freed for the first time


def return_freed_memory() -> None:
    """Give the system what was freed, where the C library keeps it: glibc does, for each thread that ever ran.

    Large blocks go back by themselves from then on, whoever frees them. Without that glibc keeps them for the next one
    of their size, of up to 32 MB, and puts small ones among them that stay: tantivy, which takes blocks of a megabyte,
    then leaves a process nearly as large as it was at its largest, and the next index of words adds to that.

    Worth its milliseconds where much was freed and as much is taken again by others: by other threads, or other
    libraries.
    """
    with suppress(OSError, TypeError, AttributeError):  # another C library
        libc = ctypes.CDLL(None)
        libc.mallopt(_M_MMAP_THRESHOLD, _LARGE_BYTES)
        libc.malloc_trim(0)
