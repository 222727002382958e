"""Commands as child processes that end with their parent, even if the parent is killed.

The child's standard input is a pipe whose other end the parent has open; when it closes, the child is stopped. Run
as `python -m searchsocket.system.bound ARGUMENTS`, it is the `searchsocket` command; with `--shell COMMAND`, a shell.
"""

import os
import runpy
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from multiprocessing import parent_process
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

_PATIENCE_S = 20.0  # time for a child to stop before it is killed
_LOOKS, _LOOK_S = 100, 0.1  # checks, and seconds between them, until killed processes have ended


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


def start(arguments: Sequence[str], environ: Mapping[str, str], **options: Any) -> "subprocess.Popen[bytes]":
    """Start the `searchsocket` command with these arguments, as a child that ends with this process.

    Args:
        options: Options of `subprocess.Popen`.
    """
    command = [sys.executable, "-P", "-m", "searchsocket.system.bound", *arguments]
    return subprocess.Popen(command, stdin=subprocess.PIPE, env=dict(environ), **options)  # noqa: S603  no shell


def start_shell(command: str, folder: Path) -> "subprocess.Popen[bytes]":
    """Start a shell command in a new session that ends with this process. Not on Windows."""
    arguments = [sys.executable, "-P", "-m", "searchsocket.system.bound", "--shell", command]
    return subprocess.Popen(arguments, stdin=subprocess.PIPE, cwd=folder, start_new_session=True)  # noqa: S603


def stop(child: "subprocess.Popen[bytes]") -> None:
    """Stop a child process; kill it if it does not stop in time."""
    if child.poll() is None:
        child.terminate()
        with suppress(subprocess.TimeoutExpired):
            child.wait(_PATIENCE_S)
    if child.poll() is None:
        child.kill()
        child.wait()
    for pipe in (child.stdin, child.stdout, child.stderr):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


def stop_group(child: "subprocess.Popen[bytes]") -> None:
    """Stop a child that leads a process group (`start_new_session`), and all processes left in the group."""
    stop(child)
    if sys.platform == "win32":  # Windows has no process groups
        return
    for _ in range(_LOOKS):
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):  # no process is left
            return
        time.sleep(_LOOK_S)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--shell"] and sys.platform != "win32":
        end_at_once_with(0, -os.getpgrp())
        os.execl("/bin/sh", "sh", "-c", sys.argv[2])  # noqa: S606  the user requested this shell command
    end_with(0)
    runpy.run_module("searchsocket.cli.main", run_name="__main__")
