"""One run per scope: an OS lock that is released when its owner dies, with a description of the owner (spec 8.1)."""

import json
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from searchsocket.errors import ScopeLocked
from searchsocket.system.errors import system_error
from searchsocket.system.files import make_folder

if TYPE_CHECKING:
    from filelock import BaseFileLock


@contextmanager
def scope_lock(
    state_dir: Path, scope_name: str, *, timeout_s: float = 0.0, on_wait: Callable[[str], None] = lambda owner: None
) -> Iterator[None]:
    """Take the lock of one scope; re-entrant for the same thread, refused for all others.

    Args:
        state_dir: Its subfolder `.locks/` contains the locks.
        scope_name: Sanitised; different scopes do not exclude each other.
        timeout_s: How long to wait for another owner; 0 = not at all.
        on_wait: Called before the wait, with a description of the owner.

    Raises:
        ScopeLocked: Another process or thread has the lock.
        StateUnavailable: The lock file cannot be written; `PermissionDenied` if it belongs to another user.
    """
    from filelock import FileLock  # queries take no lock

    path = (state_dir / ".locks").resolve() / f"{scope_name}.lock"
    # One object per path, with a count for each thread: the same thread may enter again, another is refused.
    lock = FileLock(path, is_singleton=True, thread_local=True)
    is_outermost = not lock.is_locked
    _acquire(lock, scope_name, timeout_s, on_wait)
    try:
        yield
    finally:
        if is_outermost:
            with suppress(OSError):
                path.with_suffix(".owner").unlink(missing_ok=True)
        lock.release()


def _acquire(lock: "BaseFileLock", scope_name: str, timeout_s: float, on_wait: Callable[[str], None]) -> None:
    from filelock import Timeout

    path = Path(lock.lock_file)
    try:
        make_folder(path.parent)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            if not timeout_s:
                raise
            on_wait(_owner(path))
            lock.acquire(timeout=timeout_s)
    except Timeout as error:
        raise ScopeLocked(scope_name, _owner(path)) from error
    except OSError as error:
        raise system_error("cannot lock", path, error) from error
    owner = {"pid": os.getpid(), "host": socket.gethostname()}
    # The owner file is only for messages, so a full disk is no reason to stop.
    with suppress(OSError):
        path.with_suffix(".owner").write_text(json.dumps(owner), encoding="utf-8")


def _owner(path: Path) -> str:
    """The last owner from the owner file: a description for people, never used for decisions."""
    try:
        owner = json.loads(path.with_suffix(".owner").read_bytes())
        return f"process {int(owner['pid'])} on {str(owner['host'])[:100]}"
    except (OSError, ValueError, TypeError, KeyError):
        return "another process"
