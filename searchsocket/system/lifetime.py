"""End a worker process with its owner, however the owner ended and whatever the worker is doing."""

import os
import signal
import sys
import threading
from multiprocessing import parent_process
from multiprocessing.connection import wait


def end_with_owner() -> None:
    """Bind this process to the one that started it; call it once, before the first work.

    `multiprocessing` gives every child a handle that is ready when its owner has ended: usually a pipe whose write end
    only the owner has, which even kill -9 or a crash closes. A fork server and a resource tracker end by themselves
    with their last worker.
    """
    owner = parent_process()
    if owner is None:  # not a child of `multiprocessing`
        return
    end_with(owner.sentinel)


def end_with(pipe: int) -> None:
    """End this process when the other end of a pipe is closed."""
    if sys.platform != "win32":
        end_at_once_with(pipe, os.getpid())
    threading.Thread(target=_end_after, args=(pipe,), daemon=True).start()


def _end_after(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)


def end_at_once_with(pipe: int, owner: int) -> None:
    """Make the end of the pipe raise SIGIO, which kills: a thread could wait while a parser has the interpreter lock.

    Not on Windows.

    Args:
        owner: A process, or a process group as a negative number. It also works after `exec`.
    """
    import fcntl

    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(pipe, fcntl.F_SETOWN, owner)
    fcntl.fcntl(pipe, fcntl.F_SETFL, fcntl.fcntl(pipe, fcntl.F_GETFL) | os.O_ASYNC)
