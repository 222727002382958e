"""Second places for the bytes of a file, by whatever way the file system has that is cheapest."""

import errno
import os
import shutil
from pathlib import Path

_NOT_HERE = (errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP)  # this copy does not exist on this system


def copy_file(source: Path, target: Path) -> None:
    """Copy a file to a new one inside the kernel; Btrfs and XFS let both share their blocks until one changes.

    Raises:
        OSError: The disk is full or refuses.
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
    """Have a file that never changes in a second place too; a copy where the file system knows no hard links.

    Raises:
        OSError: The disk is full or refuses.
    """
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _copy_range(source: Path, target: Path) -> None:
    with open(source, "rb") as old, open(target, "xb") as new:
        left = os.fstat(old.fileno()).st_size
        while left:
            copied = os.copy_file_range(old.fileno(), new.fileno(), left)
            if not copied:
                raise OSError(errno.EIO, "the file became shorter", str(source))
            left -= copied
