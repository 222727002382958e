"""Write files atomically, with their permissions; link or copy them; measure sizes; make temporary folders."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from searchsocket.system.errors import system_errors

FILE_MODE = 0o644  # the state folder controls access: users who may enter it may read its files (spec 24)
FOLDER_MODE = 0o755
TEMPORARY = ".tmp-"  # name prefix of leftovers of interrupted writes


def make_folder(folder: Path) -> None:
    """Create a folder and its missing parents, readable for users of the state folder, regardless of the umask."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        folder.chmod(FOLDER_MODE)


def make_private_folder(folder: Path) -> None:
    """Create a folder that only its owner may enter; an existing one keeps its mode."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def write_atomic(
    path: Path, data: bytes, *, temporary_dir: Path | None = None, durable: bool = True, mode: int = FILE_MODE
) -> None:
    """Write `data` under a temporary name, sync it, then rename it over `path`.

    Args:
        path: The file; its folder is created.
        data: The whole content.
        temporary_dir: A folder on the same file system that is emptied regularly; default: that of `path`.
        durable: False skips the sync, for files that are checked by hash and can be made again.
        mode: Permissions of the file at any time, regardless of the umask.

    Raises:
        StateUnavailable: The disk is full, read-only or not writable.
        PermissionDenied: The folder belongs to another user.
    """
    temporary_dir = temporary_dir or path.parent
    with system_errors("cannot write", path):
        make_folder(path.parent)
        make_folder(temporary_dir)
        with replacing(path, temporary_dir, durable=durable, mode=mode) as file:
            os.fchmod(file.fileno(), mode)
            file.write(data)


@contextmanager
def replacing(path: Path, temporary_dir: Path, *, durable: bool = True, mode: int = 0o666) -> Iterator[BinaryIO]:
    """Open a new file under a temporary name; it replaces `path` if the block ends without an error.

    Args:
        mode: Permissions as in `os.open`, reduced by the umask.

    Raises:
        OSError: The file cannot be written; `path` is unchanged.
    """
    temporary = temporary_dir / f"{TEMPORARY}{secrets.token_hex(6)}"
    try:
        with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            yield file
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if durable:
        sync(path.parent)


def share(path: Path) -> None:
    """Set the common mode of all state files on a file or folder; one of another user is left unchanged."""
    stat = path.stat()
    mode = FOLDER_MODE if path.is_dir() else FILE_MODE
    if stat.st_mode & 0o777 != mode and stat.st_uid == os.geteuid():
        path.chmod(mode)


def bytes_below(path: Path) -> int:
    """The total size of all files in a folder, or of one file; unreadable files count 0."""
    if not path.is_dir():
        return path.lstat().st_size if os.path.lexists(path) else 0
    total = 0
    for folder, _, names in os.walk(path):
        for name in names:
            with suppress(OSError):  # deleted in the meantime
                total += (Path(folder) / name).lstat().st_size
    return total


def sync(path: Path) -> None:
    """Make the content of a file durable, or renames and deletions inside a folder."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def is_temporary(path: Path) -> bool:
    """Return True if `path` is a leftover of an interrupted write."""
    return path.name.startswith(TEMPORARY)


def link_file(source: Path, target: Path) -> None:
    """Hard-link a file that never changes; copy it if the file system has no hard links.

    Raises:
        OSError: The disk is full or not writable.
    """
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
