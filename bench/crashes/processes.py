"""The processes of a run: end them, or see that they end by themselves."""

import os
import select
import signal
import time
from contextlib import suppress
from pathlib import Path

_PATIENCE_S = 60.0  # far more than a worker needs: a machine may be busy


def gone(session: int) -> bool:
    """Return True if every process of a session ends by itself; kill the others."""
    deadline = time.monotonic() + _PATIENCE_S
    while members := session_members(session):
        if not _ends(members[0], max(0.0, deadline - time.monotonic())):
            for member in session_members(session):
                with suppress(ProcessLookupError):
                    os.kill(member, signal.SIGKILL)
            return False
    return True


def session_members(session: int) -> list[int]:
    """Living processes of a session."""
    processes = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # ended meanwhile
        if int(fields[3]) == session and fields[0] != "Z":
            processes.append(int(folder.name))
    return sorted(processes)


def kill_tree(process: int) -> None:
    """End a process and all that it started at once, as a machine does that goes down."""
    tree = [process]
    for member in tree:
        with suppress(ProcessLookupError):
            os.kill(member, signal.SIGSTOP)  # starts nothing meanwhile, and hears of no death
        tree += [child for child in children_of(member) if child not in tree]
    for member in tree:
        with suppress(ProcessLookupError):
            os.kill(member, signal.SIGKILL)


def children_of(process: int) -> list[int]:
    """Processes that a process started; empty if it has ended."""
    try:
        listed = [file.read_text() for file in Path(f"/proc/{process}/task").glob("*/children")]
    except OSError:
        return []
    return [int(child) for text in listed for child in text.split()]


def _ends(process: int, timeout_s: float) -> bool:
    try:
        handle = os.pidfd_open(process)
    except ProcessLookupError:
        return True
    try:
        ended = select.poll()  # unlike select, of any number that a busy process gives out
        ended.register(handle, select.POLLIN)
        return bool(ended.poll(timeout_s * 1_000))
    finally:
        os.close(handle)
