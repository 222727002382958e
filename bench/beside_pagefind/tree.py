"""The cost of a command and all processes that it starts, orphans included: a subreaper waits for these too."""

import ctypes
import os
import resource
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple


class Cost(NamedTuple):
    """Of one run."""

    cpu_s: float  # user and system, of the whole tree
    wall_s: float
    peak_mb: float  # of the biggest process


def become_subreaper() -> None:
    """Orphans of children become ours (Linux); once a process."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def cost_of(command: Sequence[str], folder: Path, environ: Mapping[str, str]) -> Cost:
    """Run a command in a process that waits for its whole tree, so that one run's peak is not another's.

    Raises:
        subprocess.CalledProcessError: It failed.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.write(writing, repr(tuple(_measured(command, folder, environ))).encode())
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    with open(reading, "rb") as file:
        numbers = file.read().decode()
    os.waitpid(child, 0)
    if not numbers:
        raise subprocess.CalledProcessError(1, list(command))
    return Cost(*map(float, numbers.strip("()").split(",")))


def _measured(command: Sequence[str], folder: Path, environ: Mapping[str, str]) -> Cost:
    become_subreaper()
    began = time.perf_counter()
    nothing = subprocess.DEVNULL
    subprocess.run(command, cwd=folder, env=dict(environ), check=True, stdin=nothing, stdout=nothing, stderr=nothing)
    wall_s = time.perf_counter() - began
    while True:
        try:
            os.wait()
        except ChildProcessError:
            break
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Cost(used.ru_utime + used.ru_stime, wall_s, used.ru_maxrss / 1024)


def folder_mb(folder: Path) -> float:
    """Megabytes below a folder; a file that is linked twice counts once."""
    files = {(info.st_dev, info.st_ino): info.st_size for info in map(Path.lstat, folder.rglob("*"))}
    return sum(files.values()) / 1e6


def commit() -> str:
    """The measured commit, with "+" if files differ from it."""
    git = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty=+", "--abbrev=8", "--exclude=*"]
    done = subprocess.run(git, check=False, capture_output=True, text=True)
    return done.stdout.strip() or "unknown: no git here"
