"""Read a file below a folder safely, even if folders change at the same time: each part is opened by descriptor."""

import os
import stat
from contextlib import ExitStack

from searchsocket.errors import SourceUnavailable


def read_beneath(root: str, path: str, max_bytes: int) -> bytes:
    """The bytes of a regular file. No link on the path is followed, so none can lead out after a check.

    Args:
        path: Relative to `root`, with slashes.

    Raises:
        SourceUnavailable: It is absolute, has `..` in it, leads through a link, is gone, unreadable or too large.
    """
    parts = path.split("/")
    if not path or any(part in ("", ".", "..") or "\0" in part or os.sep in part for part in parts):
        raise SourceUnavailable(f"{path[:200]!a} is not a path below the project")
    try:
        with ExitStack() as handles:
            folder = _open(handles, root, os.O_DIRECTORY, None)
            for part in parts[:-1]:
                folder = _open(handles, part, os.O_DIRECTORY | os.O_NOFOLLOW, folder)
            # A pipe in the place of a file must not block.
            file = _open(handles, parts[-1], os.O_NOFOLLOW | os.O_NONBLOCK, folder)
            if not stat.S_ISREG(os.fstat(file).st_mode):
                raise SourceUnavailable(f"{path[:200]!a} is not a regular file")
            data = _read(file, max_bytes + 1)
    except (OSError, ValueError) as error:
        raise SourceUnavailable(f"{path[:200]!a} cannot be read: {error}") from error
    if len(data) > max_bytes:
        raise SourceUnavailable(f"{path[:200]!a} is larger than {max_bytes:,} bytes")
    return data


def _open(handles: ExitStack, name: str, flags: int, folder: int | None) -> int:
    handle = os.open(name, os.O_RDONLY | os.O_CLOEXEC | flags, dir_fd=folder)
    handles.callback(os.close, handle)
    return handle


def _read(handle: int, size: int) -> bytes:
    chunks = []
    while size and (chunk := os.read(handle, min(size, 1 << 20))):
        chunks.append(chunk)
        size -= len(chunk)
    return b"".join(chunks)
