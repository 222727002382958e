"""Commands as child processes that end with whoever started them, also where that one was killed.

A child's standard input is a pipe of which its owner holds the other end: once that is closed, the kernel ends it. Run
as `python -m searchsocket.system.bound ARGUMENTS`, it is the `searchsocket` command; with `--shell COMMAND`, a shell.
"""

import os
import runpy
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from searchsocket.system.lifetime import end_at_once_with, end_with

_PATIENCE_S = 20.0  # until a child that was told to stop is killed
_LOOKS, _LOOK_S = 100, 0.1  # for what is killed to be gone


def start(arguments: Sequence[str], environ: Mapping[str, str], **options: Any) -> "subprocess.Popen[bytes]":
    """Start the `searchsocket` command with these arguments, as a child that ends with this process.

    Args:
        options: As `subprocess.Popen` takes them.
    """
    command = [sys.executable, "-m", "searchsocket.system.bound", *arguments]
    return subprocess.Popen(command, stdin=subprocess.PIPE, env=dict(environ), **options)  # noqa: S603  no shell


def start_shell(command: str, folder: Path) -> "subprocess.Popen[bytes]":
    """Start a shell command in a session of its own, which ends with this process. Not on Windows."""
    arguments = [sys.executable, "-m", "searchsocket.system.bound", "--shell", command]
    return subprocess.Popen(arguments, stdin=subprocess.PIPE, cwd=folder, start_new_session=True)  # noqa: S603


def stop(child: "subprocess.Popen[bytes]") -> None:
    """Tell a child to stop, and see to it that it does."""
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
    """Stop a child that leads a process group, as `start_new_session` makes it, and whatever it left behind there."""
    stop(child)
    if sys.platform == "win32":  # which has no such groups
        return
    for _ in range(_LOOKS):
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):  # nobody is left
            return
        time.sleep(_LOOK_S)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--shell"] and sys.platform != "win32":
        end_at_once_with(0, -os.getpgrp())
        os.execl("/bin/sh", "sh", "-c", sys.argv[2])  # noqa: S606  this is what the user asked for
    end_with(0)
    runpy.run_module("searchsocket.cli.main", run_name="__main__")
