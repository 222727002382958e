"""Disk budget of pulled scopes, shared by several projects: the least recently used are removed above a bound."""

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from searchsocket.errors import ArtifactInvalid, IndexLoading, ScopeLocked, StateUnavailable
from searchsocket.extensions.fleet.pull import DESCRIPTION
from searchsocket.stores.local.layout import unpublish
from searchsocket.system.locks import scope_lock

Key = tuple[Path, str]  # folder of an index, scope
GRACE_S = 30.0  # for which a scope stays after its last use


class PulledFiles:
    """Counts the files below the folders that only `pull_scope` writes; safe to share between threads."""

    def __init__(self, max_bytes: int, grace_s: float = GRACE_S) -> None:
        self.max_bytes = max_bytes
        self._grace_s = grace_s
        self._lock = threading.Lock()
        self._bytes: dict[Key, int] = {}
        self._release: dict[Path, Callable[[str], None]] = {}

    @property
    def used_bytes(self) -> int:
        """Sum over all scopes."""
        with self._lock:
            return sum(self._bytes.values())

    def scan(self, roots: Iterable[Path]) -> None:
        """Count the files on the disk again; other processes may share it."""
        sizes = {(root, folder.name): folder_bytes(folder) for root in roots for folder in _scopes(root)}
        with self._lock:
            self._bytes = sizes
            self._make_room(0, None)

    def open(self, root: Path, release: Callable[[str], None]) -> None:
        """Register a project that answers from a folder; `release` closes one of its scopes."""
        with self._lock:
            self._release[root] = release

    def close(self, root: Path, release: Callable[[str], None]) -> None:
        """Remove a project that no longer answers; another opening of it may be registered already."""
        with self._lock:
            if self._release.get(root) == release:
                del self._release[root]

    def make_room(self, root: Path, scope: str, size: int) -> None:
        """Remove scopes until a new generation fits, and reserve its room.

        Raises:
            ArtifactInvalid: It is larger than the budget.
            IndexLoading: Too much of what could be removed is in use.
        """
        if size > self.max_bytes:
            raise ArtifactInvalid(
                f"scope {scope!r} needs {size / 1e6:,.0f} MB on the disk, more than --disk-mb "
                f"({self.max_bytes / 1e6:,.0f})"
            )
        key = root, scope
        with self._lock:
            if self._make_room(size, key) > 0:
                raise IndexLoading(f"there is no room for scope {scope!r} now; to keep more scopes, raise --disk-mb")
            self._bytes[key] = self._bytes.get(key, 0) + size

    def note(self, root: Path, scope: str) -> None:
        """Record that a scope was pulled or is in use."""
        folder = root / scope
        size = folder_bytes(folder)
        with suppress(OSError):
            os.utime(folder / DESCRIPTION)
        with self._lock:
            self._bytes[root, scope] = size

    def _make_room(self, size: int, keep: Key | None) -> int:
        """Remove scopes until `size` fits; returns the bytes that are still too many."""
        surplus = sum(self._bytes.values()) + size - self.max_bytes
        if surplus <= 0:
            return 0
        for key in sorted(self._bytes, key=_used_at):
            if surplus <= 0:
                break
            if key != keep and self._remove(*key):
                surplus -= self._bytes.pop(key)
        return surplus

    def _remove(self, root: Path, scope: str) -> bool:
        """Remove a scope's files; False if it is in use."""
        try:
            with scope_lock(root, scope):
                if time.time() - _used_at((root, scope)) < self._grace_s:
                    return False
                if release := self._release.get(root):
                    release(scope)
                unpublish(root / scope)
                shutil.rmtree(root / scope, ignore_errors=True)
        except FileNotFoundError:
            return True
        except (ScopeLocked, StateUnavailable, OSError):
            return False
        return True


def folder_bytes(folder: Path) -> int:
    """Bytes of all files below a folder; a file with several names is counted once."""
    sizes: dict[int, int] = {}
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                stat = os.stat(os.path.join(parent, name))
                sizes[stat.st_ino] = stat.st_size
    return sum(sizes.values())


def _scopes(root: Path) -> list[Path]:
    try:
        with os.scandir(root) as entries:
            return [root / entry.name for entry in entries if entry.is_dir() and not entry.name.startswith(".")]
    except OSError:
        return []


def _used_at(key: Key) -> float:
    root, scope = key
    try:
        return os.stat(root / scope / DESCRIPTION).st_mtime
    except OSError:
        return 0.0
