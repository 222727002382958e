"""Fingerprint of files: names, sizes, times, inodes, and bytes if the times are not conclusive.

Imports the standard library alone: it is asked before anything else is loaded.
"""

import os
import stat
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import hashlib

# The coarsest clock of a usual file system ticks every two seconds: what changed so shortly before it was looked at may
# change again and show the same times.
TICK_NS = 2_000_000_000
_CHUNK = 1 << 20
_MISSING = "missing"
_LOCKS = ".tantivy-"  # it leaves them behind also where it only reads


class Digests(NamedTuple):
    """Two digests of the same files at the same moment."""

    trusting: str  # the times of what is older than the time that was asked with
    anew: str  # the times of what is older than now


def stamps_of(paths: Iterable[str], *, trusted_before_ns: int, now_ns: int) -> Digests:
    """Digests of files and of all that lies below folders; a path where nothing is counts too.

    Builds set modification times as they like, and inodes are given again; no tool sets the time of change. Of files
    whose time of change cannot be trusted the bytes are read.

    Args:
        trusted_before_ns: What changed earlier cannot have changed since without another time of change.
        now_ns: The clock, before any file is looked at.

    Raises:
        OSError: Something cannot be read, or went away meanwhile.
    """
    before, anew = sha256(), sha256()
    for path in sorted(paths):
        for name, info in _below(path):
            line = f"{name}\0{_stamp(info)}\n".encode("utf-8", "surrogateescape")
            before.update(line)
            anew.update(line)
            if info is not None and stat.S_ISREG(info.st_mode):
                digests = [
                    digest
                    for digest, limit in ((before, trusted_before_ns), (anew, now_ns - TICK_NS))
                    if info.st_ctime_ns >= limit
                ]
                if digests:
                    _add_bytes(name, digests)
    return Digests(before.hexdigest(), anew.hexdigest())


def file_clock_ns(folder: str, clock_ns: int) -> int:
    """The clock by which times of change are set, where that is behind ours: a disk elsewhere has its own.

    Raises:
        OSError: Nothing can be written to the folder.
    """
    probe = os.path.join(folder, f".clock-{os.getpid()}")
    open(probe, "wb").close()
    try:
        return min(clock_ns, os.stat(probe).st_ctime_ns)  # noqa: PTH116
    finally:
        os.unlink(probe)  # noqa: PTH108


def bytes_of(paths: Iterable[str]) -> str:
    """A digest of the bytes of small files; one that is missing counts too.

    Raises:
        OSError: One cannot be read.
    """
    digest = sha256()
    for path in sorted(paths):
        digest.update(f"{path}\0".encode("utf-8", "surrogateescape"))
        try:
            with open(path, "rb") as file:
                digest.update(sha256(file.read()).digest())
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            digest.update(_MISSING.encode())
    return digest.hexdigest()


def names_in(folders: Iterable[str]) -> str:
    """A digest of what folders hold: names, and whether each is a file, a folder, or a link; "" of none.

    Raises:
        OSError: One cannot be listed.
    """
    lines = []
    for folder in sorted(folders):
        with os.scandir(folder) as entries:
            lines += sorted(
                f"{entry.name}\0{'l' if entry.is_symlink() else 'd' if entry.is_dir() else 'f'}" for entry in entries
            )
        lines.append(folder)
    return sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest() if lines else ""


def _stamp(info: os.stat_result | None) -> str:
    if info is None:
        return _MISSING
    kind = f"{info.st_mode}:{info.st_uid}:{info.st_ino}:{info.st_dev}"
    # Folders change whenever something is written beside what they hold; their names are listed anyway.
    return kind if stat.S_ISDIR(info.st_mode) else f"{kind}:{info.st_size}:{info.st_mtime_ns}:{info.st_ctime_ns}"


def _below(path: str) -> Iterator[tuple[str, os.stat_result | None]]:
    """A path and everything below it, in one order; links are followed, each folder once."""
    pending, seen = [path], set[tuple[int, int]]()
    while pending:
        name = pending.pop()
        try:
            info = os.stat(name)  # noqa: PTH116  a Path costs as much as the call
        except (FileNotFoundError, NotADirectoryError):
            yield name, None  # or a link that leads nowhere
            continue
        yield name, info
        if stat.S_ISDIR(info.st_mode) and (info.st_dev, info.st_ino) not in seen:
            seen.add((info.st_dev, info.st_ino))
            inner = (each for each in os.listdir(name) if not each.startswith(_LOCKS))  # noqa: PTH208
            pending += sorted((f"{name}{os.sep}{each}" for each in inner), reverse=True)


def _add_bytes(name: str, digests: list["hashlib._Hash"]) -> None:
    with open(name, "rb") as file:
        while data := file.read(_CHUNK):
            for digest in digests:
                digest.update(data)
