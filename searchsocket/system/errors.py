"""Convert errors of the system and SQLite about files to errors that a caller can act on."""

import errno
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from searchsocket.errors import PermissionDenied, SearchSocketError, StateUnavailable

_DENIED = (errno.EACCES, errno.EPERM)
_FULL = (errno.ENOSPC, errno.EDQUOT)
_MAY_BE_DENIED = re.compile(r"SQLITE_(AUTH|CANTOPEN|PERM|READONLY)")
_MAY_BE_FULL = re.compile(r"SQLITE_(CANTOPEN|IOERR)|disk I/O error|unable to open database file")
_SAYS_FULL = re.compile(r"disk is full|No space left on device|Disk quota exceeded")
_LITTLE_BYTES = 256_000  # space that SQLite may need at once


def system_error(
    action: str, path: Path, error: OSError, kind: type[SearchSocketError] = StateUnavailable
) -> SearchSocketError:
    """Convert an error of the operating system.

    Args:
        action: What could not be done with `path`, e.g. "cannot read".
        kind: Error class if neither permission nor space is the cause.
    """
    if error.errno in _DENIED:
        return permission_denied(Path(os.fsdecode(error.filename)) if error.filename else path)
    if error.errno in _FULL:
        return StateUnavailable(f"{action} {path}: {_full(path)}")
    return kind(f"{action} {path}: {error.strerror or error}")


@contextmanager
def system_errors(action: str, path: Path, kind: type[SearchSocketError] = StateUnavailable) -> Iterator[None]:
    """Convert errors of the operating system in the block; see `system_error`."""
    try:
        yield
    except OSError as error:
        raise system_error(action, path, error, kind) from error


def refuse_link(path: Path) -> None:
    """Refuse a file of the state folder that is a link: SQLite would write where it leads.

    Raises:
        StateUnavailable: It is a link.
    """
    if path.is_symlink():
        raise StateUnavailable(f"{path} is a link, which searchsocket does not follow; remove it")


def client_error(action: str, path: Path, error: BaseException) -> SearchSocketError:
    """Convert an error of SQLite or Dagster about a file; see `system_error`."""
    if isinstance(error, OSError):
        return system_error(action, path, error)
    name = str(getattr(error, "sqlite_errorname", ""))
    if _MAY_BE_DENIED.match(name) and (refused := first_refused(path, os.R_OK | os.W_OK)):
        return permission_denied(refused)
    if is_full(path, error):
        return StateUnavailable(f"{action} {path}: {_full(path)}")
    return StateUnavailable(f"{action} {path}: {error}; check free space and permissions, then run again")


def permission_denied(path: Path) -> PermissionDenied:
    """Make the error that names the path which this process may not use, and its owner."""
    refused_at = first_refused(path, os.R_OK) or (path if os.path.lexists(path) else path.parent)
    try:
        owner = refused_at.owner()
    except (OSError, KeyError, NotImplementedError):  # no user name in this container, or on this system
        try:
            owner = f"user {refused_at.stat().st_uid}"
        except OSError:
            owner = "another user"
    return PermissionDenied(
        f"permission denied on {refused_at}, owned by {owner}; run as that user, or grant access to this user"
    )


def first_refused(path: Path, mode: int) -> Path | None:
    """The first folder of `path` that may not be entered, else `path` if it may not be used; None if all is permitted.

    Args:
        mode: `os.R_OK`, `os.W_OK` or both. For a missing file, its folder must be writable.
    """
    for folder in reversed(path.absolute().parents):
        if not os.access(folder, os.X_OK):
            return folder if folder.exists() else None
    if not os.path.lexists(path):
        path, mode = path.parent, mode & os.W_OK
    if os.access(path, mode) or (mode & os.W_OK and os.statvfs(path).f_flag & os.ST_RDONLY):
        return None
    return path


def is_full(path: Path, error: BaseException) -> bool:
    """Return True if a library's error comes from a full disk; SQLite may call that an I/O error."""
    name = str(getattr(error, "sqlite_errorname", ""))
    if _SAYS_FULL.search(str(error)):
        return True
    return bool(_MAY_BE_FULL.search(name or str(error))) and free_bytes(path) < _LITTLE_BYTES


def free_bytes(path: Path) -> int:
    """The number of bytes that this user may write on the disk of `path`, which need not exist."""
    for folder in (path, *path.absolute().parents):
        try:
            return shutil.disk_usage(folder).free
        except OSError:
            continue
    return 0


def _full(path: Path) -> str:
    return (
        f"the disk is full ({free_bytes(path) / 1e6:.1f} MB are free); free space, for example with "
        "`searchsocket clean --scope NAME`, then run again"
    )
