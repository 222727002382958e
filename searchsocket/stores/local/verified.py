"""The generations that this process has verified, so that a run does not read its new index three times."""

import time
from pathlib import Path

from searchsocket.stores.bounded import BoundedCache
from searchsocket.stores.local.layout import file_stamps

_MAX_GENERATIONS = 64
_TICK_NS = 50_000_000  # a file as new as this may be written again at the same time of the file system


class VerifiedGenerations:
    """Folders of generations whose files have not changed since they were verified; safe to share between threads."""

    def __init__(self) -> None:
        self._stamps = BoundedCache[Path, frozenset[tuple[str, int, int, int]]](_MAX_GENERATIONS)

    def add(self, generation: Path) -> None:
        """Remember a generation, unless one of its files is too new to tell whether it will change."""
        stamps = file_stamps(generation)
        if max(written_ns for _, _, written_ns, _ in stamps) < time.time_ns() - _TICK_NS:
            self._stamps.remember_one(generation, stamps)

    def __contains__(self, generation: Path) -> bool:
        """Return True if the generation was added and has the same files."""
        stamps = self._stamps.values.get(generation)
        return stamps is not None and stamps == file_stamps(generation)
