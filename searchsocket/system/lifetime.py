"""A worker process ends with its owner, however that one ended and whatever the worker is doing."""

import os
import signal
import sys
import threading
from multiprocessing import parent_process
from multiprocessing.connection import wait


def end_with_owner() -> None:
    """Bind this process to the one that started it; called once, before the first work.

    `multiprocessing` gives every child something that is ready when its owner is gone: mostly a pipe whose write end
    only the owner holds, so neither kill -9 nor a crash can leave it open. A fork server and a resource tracker end by
    themselves when their last worker has.
    """
    owner = parent_process()
    if owner is None:  # this process was started by no other
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
    """Let the end of the pipe raise SIGIO, which kills: a thread may wait while a parser holds the interpreter.

    Not on Windows.

    Args:
        owner: A process, or a process group as a negative number. It is killed also after `exec`.
    """
    import fcntl

    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(pipe, fcntl.F_SETOWN, owner)
    fcntl.fcntl(pipe, fcntl.F_SETFL, fcntl.fcntl(pipe, fcntl.F_GETFL) | os.O_ASYNC)
