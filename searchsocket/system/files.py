"""Files: written so that nobody ever sees half of one, who may read them, how large they are; temporary folders."""

import os
import secrets
import shutil
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from searchsocket.system.errors import system_error

FILE_MODE = 0o644  # the state folder is the gate: whoever may enter it may read what lies in it (spec 24)
FOLDER_MODE = 0o755
TEMPORARY = ".tmp-"  # what a writer that died leaves begins with it


def make_folder(folder: Path) -> None:
    """Create a folder and what is missing above it, for whoever may enter the state folder, whatever the umask."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        folder.chmod(FOLDER_MODE)


def make_private_folder(folder: Path) -> None:
    """Create a folder that only its owner may enter; one that is there keeps its mode."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def write_atomic(
    path: Path, data: bytes, *, temporary_dir: Path | None = None, durable: bool = True, mode: int = FILE_MODE
) -> None:
    """Write `data` under a temporary name, sync it, then rename it over `path`.

    Args:
        path: The file; its folder is made.
        data: All of it.
        temporary_dir: A folder on the same file system that is emptied now and then; default: beside `path`.
        durable: False leaves the sync out, for files that are checked by hash and can be made again.
        mode: Who may read the file, whatever the umask; at no time may anybody else.

    Raises:
        StateUnavailable: The disk is full, read-only or otherwise refuses.
        PermissionDenied: The folder is another user's.
    """
    temporary_dir = temporary_dir or path.parent
    try:
        make_folder(path.parent)
        make_folder(temporary_dir)
        with replacing(path, temporary_dir, durable=durable, mode=mode) as file:
            os.fchmod(file.fileno(), mode)
            file.write(data)
    except OSError as error:
        raise system_error("cannot write", path, error) from error


@contextmanager
def replacing(path: Path, temporary_dir: Path, *, durable: bool = True, mode: int = 0o666) -> Iterator[BinaryIO]:
    """A new file under a temporary name, which takes the place of `path` when the block ends without an error.

    Args:
        mode: As for `os.open`: the umask takes from it.

    Raises:
        OSError: The system refuses; `path` is as it was.
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
        sync_directory(path.parent)


def share(path: Path) -> None:
    """Give a file or folder the one mode that all of ours have; one of another user stays as it is."""
    stat = path.stat()
    mode = FOLDER_MODE if path.is_dir() else FILE_MODE
    if stat.st_mode & 0o777 != mode and stat.st_uid == os.geteuid():
        path.chmod(mode)


def bytes_below(path: Path) -> int:
    """The sizes of all files in a folder and below, or of one file; what may not be read counts nothing."""
    if not path.is_dir():
        return path.lstat().st_size if os.path.lexists(path) else 0
    total = 0
    for folder, _, names in os.walk(path):
        for name in names:
            with suppress(OSError):  # went meanwhile
                total += (Path(folder) / name).lstat().st_size
    return total


def sync_directory(path: Path) -> None:
    """Make renames and deletions inside `path` durable."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def is_temporary(path: Path) -> bool:
    """Return True if a writer that died left `path` behind."""
    return path.name.startswith(TEMPORARY)


def temporary_folder(owner: object, prefix: str) -> Path:
    """A new folder that goes when `owner` goes, whatever lies in it then."""
    folder = tempfile.mkdtemp(prefix=prefix)
    weakref.finalize(owner, shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)
