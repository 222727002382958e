"""Copy or link files by the cheapest way of the file system."""

import errno
import os
import shutil
from pathlib import Path

_NOT_HERE = (errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP)  # this kind of copy is not supported here


def copy_file(source: Path, target: Path) -> None:
    """Copy a file to a new one inside the kernel; Btrfs and XFS let both share their blocks until one changes.

    Raises:
        OSError: The disk is full or not writable.
    """
    if hasattr(os, "copy_file_range"):
        try:
            _copy_range(source, target)
        except OSError as error:
            if error.errno not in _NOT_HERE:
                raise
            target.unlink()
        else:
            return
    shutil.copyfile(source, target)


def link_file(source: Path, target: Path) -> None:
    """Hard-link a file that never changes; copy it if the file system has no hard links.

    Raises:
        OSError: The disk is full or not writable.
    """
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _copy_range(source: Path, target: Path) -> None:
    with open(source, "rb") as old, open(target, "xb") as new:
        remaining = os.fstat(old.fileno()).st_size
        while remaining:
            copied = os.copy_file_range(old.fileno(), new.fileno(), remaining)
            if not copied:
                raise OSError(errno.EIO, "the file became shorter", str(source))
            remaining -= copied
