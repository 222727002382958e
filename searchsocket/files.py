"""Writing so that a reader, or a crash, never sees half a file."""

import os
import secrets
from pathlib import Path

from searchsocket.errors import StateUnavailable

_TEMPORARY = ".tmp-"


def write_atomic(path: Path, data: bytes, *, temporary_dir: Path | None = None, durable: bool = True) -> None:
    """Write `data` under a temporary name, sync it, then rename it over `path`.

    Args:
        path: The file; its folder is made.
        data: All of it.
        temporary_dir: A folder on the same file system that is emptied now and then; default: beside `path`.
        durable: False leaves the sync out, for files that are checked by hash and can be made again.

    Raises:
        StateUnavailable: The disk is full, read-only or otherwise refuses.
    """
    temporary = (temporary_dir or path.parent) / f"{_TEMPORARY}{secrets.token_hex(6)}"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.parent.mkdir(parents=True, exist_ok=True)
        try:
            with open(temporary, "xb") as file:
                file.write(data)
                if durable:
                    file.flush()
                    os.fsync(file.fileno())
            os.replace(temporary, path)
            if durable:
                sync_directory(path.parent)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise StateUnavailable(f"cannot write {path}: {error.strerror or error}") from error


def sync_directory(path: Path) -> None:
    """Make renames and deletions inside `path` durable."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def is_temporary(path: Path) -> bool:
    """Whether `path` was left behind by a writer that died."""
    return path.name.startswith(_TEMPORARY)
