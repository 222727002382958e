"""The generations that this process has verified, so that a run does not read its new index three times."""

import time
from collections.abc import Iterable
from pathlib import Path

from searchsocket.stores.bounded import BoundedCache

_MAX_GENERATIONS = 64
_TICK_NS = 50_000_000  # a file as new as this may be written again at the same time of the file system

Stamp = tuple[int, int, int]  # inode, bytes, time of the last change


class VerifiedGenerations:
    """Folders of generations whose files have not changed since they were verified; safe to share between threads."""

    def __init__(self) -> None:
        self._stamps = BoundedCache[Path, dict[str, Stamp]](_MAX_GENERATIONS)

    def add(self, generation: Path, names: Iterable[str]) -> None:
        """Remember a generation with these files, unless one is too new to tell whether it will change."""
        stamps = {name: _stamp(generation / name) for name in names}
        newest_ns = max(changed_ns for *_, changed_ns in stamps.values())
        if newest_ns < time.time_ns() - _TICK_NS:
            self._stamps.remember_one(generation, stamps)

    def __contains__(self, generation: Path) -> bool:
        """Return True if the generation was added and has the same files."""
        stamps = self._stamps.values.get(generation, {})
        try:
            return bool(stamps) and all(_stamp(generation / name) == stamp for name, stamp in stamps.items())
        except OSError:
            return False


def _stamp(path: Path) -> Stamp:
    info = path.stat()
    return info.st_ino, info.st_size, info.st_mtime_ns
