"""A snapshot of files and folders, to detect changes.

Imports the standard library alone: it is asked before anything else is loaded.
"""

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import hashlib

# The coarsest clock of a usual file system ticks every two seconds: what changed so shortly before it was looked at may
# change again and show the same times.
TICK_NS = 2_000_000_000
_CHUNK = 1 << 20
_MISSING = "missing"
_LOCKS = ".tantivy-"  # it leaves them behind also where it only reads


@dataclass(frozen=True, slots=True)
class Paths:
    """Paths by how they are compared. A path where nothing is counts too."""

    trees: tuple[str, ...] = ()  # files and all below folders, by size, times and inode, and bytes if they are young
    contents: tuple[str, ...] = ()  # small files, by their bytes
    listings: tuple[str, ...] = ()  # folders, by the names in them


@dataclass(frozen=True, slots=True)
class Snapshot:
    """State of some paths at one moment.

    Builds set modification times as they like, and inodes are given again; no tool sets the time of change. Of files
    whose time of change cannot be trusted the bytes are read.
    """

    paths: Paths
    trusted_before_ns: int  # a file that changed earlier cannot have changed since without another time of change
    digest: str

    @classmethod
    def at(cls, paths: Paths, now_ns: int) -> "Snapshot":
        """Take a snapshot.

        Args:
            now_ns: The clock, before any file is looked at.

        Raises:
            OSError: Something cannot be read, or went away meanwhile.
        """
        trusted_before_ns = now_ns - TICK_NS
        (digest,) = _digests(paths, trusted_before_ns)
        return cls(paths, trusted_before_ns, digest)

    def renewed(self, now_ns: int) -> "Snapshot | None":
        """Return the snapshot as of now if nothing changed; None if something did.

        Both digests are of one look, so that no change falls between them.

        Raises:
            OSError: Something cannot be read.
        """
        trusted_before_ns = now_ns - TICK_NS
        before, now = _digests(self.paths, self.trusted_before_ns, trusted_before_ns)
        return Snapshot(self.paths, trusted_before_ns, now) if before == self.digest else None


def _digests(paths: Paths, *trusted_before_ns: int) -> list[str]:
    """A digest for each time before which times of change are trusted."""
    small = f"{bytes_of(paths.contents)} {_names_in(paths.listings)}\n".encode()
    digests = [sha256(small) for _ in trusted_before_ns]
    for path in sorted(paths.trees):
        for name, info in _below(path):
            line = f"{name}\0{_stamp(info)}\n".encode("utf-8", "surrogateescape")
            for digest in digests:
                digest.update(line)
            if info is not None and stat.S_ISREG(info.st_mode):
                young = [
                    digest
                    for digest, limit in zip(digests, trusted_before_ns, strict=True)
                    if info.st_ctime_ns >= limit
                ]
                if young:
                    _add_bytes(name, young)
    return [digest.hexdigest() for digest in digests]


def file_clock_ns(folder: str, clock_ns: int) -> int:
    """The clock by which times of change are set, where that is behind ours: a disk elsewhere has its own.

    Raises:
        OSError: Nothing can be written to the folder.
    """
    probe = os.path.join(folder, f".clock-{os.getpid()}")
    open(probe, "wb").close()
    try:
        return min(clock_ns, os.stat(probe).st_ctime_ns)
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


def _names_in(folders: Iterable[str]) -> str:
    """A digest of the names in folders, and whether each is a file, a folder, or a link.

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
    return sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


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
            info = os.stat(name)
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
