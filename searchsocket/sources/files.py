"""Shared code of sources on disk: reading inside a root, stamps, locators."""

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from searchsocket.errors import SourceUnavailable
from searchsocket.sources.base import SourceReport
from searchsocket.system.locators import locator_of, path_of

_YOUNG_NS = 2_000_000_000  # the coarsest clock of a usual file system ticks every two seconds
MAX_DEPTH = 200  # nested folders; a deeper tree is a loop or a trap


def stamp_of(info: os.stat_result, now_ns: int) -> str:
    """Equal stamps mean equal bytes: a hash of size, both times, inode and device; "" if it changed too recently.

    Builds may set any modification time, and inodes are reused; but no tool sets the change time. A file that changed
    just now may change again within the same clock tick.
    """
    if now_ns - info.st_ctime_ns < _YOUNG_NS:
        return ""
    numbers = f"{info.st_size}:{info.st_mtime_ns}:{info.st_ctime_ns}:{info.st_ino}:{info.st_dev}"
    return hashlib.blake2b(numbers.encode(), digest_size=8).hexdigest()


def read_inside(root: str, locator: str, max_bytes: int) -> bytes:
    """The bytes of a regular file below `root`.

    Raises:
        SourceUnavailable: It is gone, unreadable, too large, not a regular file, or outside the root.
    """
    with open_inside(root, locator) as file:
        data = file.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise SourceUnavailable(f"{locator!a}: {too_large(len(data), max_bytes)}")
    return data


@contextmanager
def open_inside(root: str, locator: str) -> Iterator[BinaryIO]:
    """Open a regular file below `root` for reading.

    Raises:
        SourceUnavailable: As `read_inside`; also if reading fails inside the block.
    """
    root = os.path.realpath(root)
    try:
        path = os.path.realpath(os.path.join(root, path_of(locator)))
        if not is_inside(path, root):
            raise SourceUnavailable(f"{locator!a} points out of {root}")
        # A pipe instead of a page must not block the run.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0))
        with open(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise SourceUnavailable(f"{locator!a} is not a regular file")
            yield file
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise SourceUnavailable(f"{locator!a} cannot be read: {error}") from error


def modified_inside(root: str, locator: str) -> float | None:
    """Return the modification time of a file below `root`, in seconds since 1970; None if the file is gone."""
    try:
        return os.stat(os.path.join(root, path_of(locator))).st_mtime
    except (OSError, ValueError):
        return None


def is_inside(path: str, root: str) -> bool:
    """Return True if a real path is `root` or below it."""
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)


def too_large(size: int, max_bytes: int) -> str:
    """The reason why a page was not read."""
    limit = f"source.max_page_bytes ({max_bytes:,})"
    return f"{size:,} bytes or more, above {limit}; raise it, or exclude the page in source.exclude"


def usable(root: str, path: str, max_bytes: int, report: SourceReport) -> os.stat_result | None:
    """The status of a listed file that can be a page; otherwise None, with the reason in the report."""
    file, locator = os.path.join(root, path), locator_of(path)
    try:
        info = os.stat(file)
    except OSError as error:
        report.failed[locator] = f"cannot be read: {error.strerror or error}"
        return None
    if not stat.S_ISREG(info.st_mode):
        report.skipped[locator] = "not a regular file"
    elif info.st_size > max_bytes:
        report.failed[locator] = too_large(info.st_size, max_bytes)
    elif not os.access(file, os.R_OK):
        report.failed[locator] = "cannot be read: permission denied"
    else:
        return info
    return None
