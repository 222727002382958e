"""Writing the big files of a generation: each byte is moved and hashed once."""

import errno
import hashlib
import os
import shutil
from pathlib import Path
from types import TracebackType
from typing import Self

from searchsocket.stores.local.layout import FileEntry

_NOT_HERE = (errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP)  # this copy does not exist on this system


class HashedFile:
    """A new file whose size and hash are known when it is written, so that nothing reads it again for them."""

    def __init__(self, path: Path) -> None:
        self._file = open(path, "xb")  # noqa: SIM115  `__exit__` closes it
        self._sha256 = hashlib.sha256()
        self._bytes = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def write(self, data: memoryview, /) -> None:
        self._file.write(data)
        self._sha256.update(data)
        self._bytes += data.nbytes

    @property
    def entry(self) -> FileEntry:
        """What the manifest says of what was written so far."""
        return FileEntry(self._bytes, self._sha256.hexdigest())


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
