"""The open generations, one per scope: replaced when another is live, closed when memory is short or they are many."""

import copy
import os
import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from searchsocket.errors import ScopeNotIndexed, SearchSocketError, VectorBackendUnavailable
from searchsocket.stores.local.layout import CURRENT, Stamps, corrupt, file_stamps, read_current
from searchsocket.stores.local.reader import LocalReader
from searchsocket.stores.local.vectors.matrix import MAX_READ_BYTES
from searchsocket.system.errors import system_error
from searchsocket.types import Scope

MAX_OPEN_TRIES = 20  # a new try is needed only if another publish has just removed the live generation
_MAX_READERS = 64  # open scopes; each has its files mapped
_MAX_ALL_READ_BYTES = 4 * MAX_READ_BYTES  # of all matrices in memory; further matrices are mapped
_MIN_LARGE_SCOPES = 4  # whose matrices fit into a shared budget
REFRESH_S = 60.0
_FIRST_PAUSE_S, _MAX_PAUSE_S = 1.0, 60.0  # before a generation that could not be opened is tried again

Stamp = tuple[int, int, int]
Clock = Callable[[], float]
OpenGeneration = Callable[[Path, int | None], LocalReader]


@dataclass(slots=True)
class _Entry:
    bytes: int
    close: Callable[[], None]
    used_at: float


class MemoryBudget:
    """Closes the least recently used entries above a bound; safe to share between threads."""

    def __init__(self, max_bytes: int, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.max_bytes = max_bytes
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._entries: dict[Hashable, _Entry] = {}  # the last used one at the end

    @property
    def used_bytes(self) -> int:
        """Estimate of all open entries."""
        with self._lock:
            return self._total()

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, key: Hashable, size: int, close: Callable[[], None]) -> None:
        """Count an open entry, which replaces one of the same key; it stays open even if it is too large alone.

        Args:
            size: Estimate in bytes.
            close: Called once, from any thread, to close the entry, which is no longer counted then.
        """
        with self._lock:
            self._entries.pop(key, None)
            self._entries[key] = _Entry(size, close, self._monotonic())
            total = self._total()
            victims = []
            for other in list(self._entries)[:-1]:
                if total <= self.max_bytes:
                    break
                victims.append(self._entries.pop(other))
                total -= victims[-1].bytes
        for victim in victims:
            victim.close()

    def touch(self, key: Hashable) -> None:
        """Record a use."""
        with self._lock:
            if entry := self._entries.pop(key, None):
                entry.used_at = self._monotonic()
                self._entries[key] = entry

    def remove(self, key: Hashable) -> None:
        """Stop counting an entry that its owner closed."""
        with self._lock:
            self._entries.pop(key, None)

    def close_unused(self, max_idle_s: float) -> None:
        """Close entries that nobody used for so long."""
        with self._lock:
            oldest = self._monotonic() - max_idle_s
            keys = [key for key, entry in self._entries.items() if entry.used_at < oldest]
            victims = [self._entries.pop(key) for key in keys]
        for victim in victims:
            victim.close()

    def _total(self) -> int:
        return sum(entry.bytes for entry in self._entries.values())


@dataclass(frozen=True, slots=True)
class _OpenReader:
    scope: Scope
    folder: Path  # of the scope
    stamp: Stamp
    reader: LocalReader


@dataclass(frozen=True, slots=True)
class _Failure:
    """A live generation that could not be opened."""

    scope: Scope
    folder: Path  # of the scope
    stamp: Stamp
    files: Stamps
    error: SearchSocketError
    pause_s: float
    again_at: float  # by the clock


class OpenReaders:
    """The open generations of a store. Safe to share between threads."""

    def __init__(self, open_generation: OpenGeneration, clock: Clock = time.monotonic) -> None:
        """Start without open generations.

        Args:
            open_generation: Opens the folder of a generation. The second argument is the number of bytes of vectors
                that it may read into memory; None = a run opens it. Raises FileNotFoundError if a file is missing.
            clock: Monotonic, in seconds.
        """
        self._open = open_generation
        self._clock = clock
        self._lock = threading.Lock()
        self._opening = threading.Lock()
        self._readers: dict[str, _OpenReader] = {}  # by scope, most recently used last
        self._failures: dict[str, _Failure] = {}  # by scope
        self._refreshed_at = clock()
        self._memory: MemoryBudget | None = None

    def share(self, memory: MemoryBudget) -> None:
        """Count generations that are opened later in a budget shared with other stores."""
        self._memory = memory

    def newest(self, scope: Scope, folder: Path) -> LocalReader:
        """The live generation of a scope's folder, or the open one if the live one cannot be opened.

        While one thread opens a new generation and prepares it for queries, others get the previous one. If the new one
        is damaged, half copied or unreadable, all threads get the previous one. Opening is retried when a file changes,
        and after growing pauses.

        Raises:
            ScopeNotIndexed: Nothing is live.
            IndexCorrupt: A file is missing or damaged.
            PermissionDenied: A file may not be read.
            VectorBackendUnavailable: The folder cannot be read, or changes faster than it can be opened.
        """
        current = self._used(scope)
        try:
            if current and current.stamp == _stamp(folder):
                return current.reader
            if not self._opening.acquire(blocking=current is None):
                assert current is not None
                return current.reader
            try:
                reader = self._opened(scope, folder, for_queries=True)
            finally:
                self._opening.release()
        except ScopeNotIndexed:
            raise
        except SearchSocketError:
            if current is None:
                raise
            return current.reader
        if self._clock() - self._refreshed_at > 2 * REFRESH_S:  # no other thread calls `refresh`
            self.refresh()
        return reader

    def live(self, scope: Scope, folder: Path) -> LocalReader:
        """The live generation only, not prepared for queries; raises the same errors as `newest`."""
        with self._opening:
            return self._opened(scope, folder, for_queries=False)

    def hold(self, scope: Scope, folder: Path, reader: LocalReader) -> None:
        """Use an open reader of the generation that is live now."""
        stamp = _stamp(folder)
        with self._opening:
            if stamp is not None:
                self._hold(scope, _OpenReader(scope, folder, stamp, reader))

    def refresh(self) -> list[SearchSocketError]:
        """Replace open generations that are no longer live; return the errors.

        Call it every `REFRESH_S`: otherwise deleted files of scopes without queries stay on the disk.
        """
        self._refreshed_at = self._clock()
        with self._lock:
            folders = {entry.scope: entry.folder for entry in self._readers.values()}
            folders |= {failed.scope: failed.folder for failed in self._failures.values()}
        failed: list[SearchSocketError] = []
        for scope, folder in folders.items():
            try:
                with self._opening:
                    self._opened(scope, folder, for_queries=True)
            except ScopeNotIndexed:
                continue
            except SearchSocketError as error:
                failed.append(error)
        return failed

    def open_reader(self, scope: Scope, folder: Path) -> LocalReader | None:
        """The live generation of a scope's folder if it is already open, otherwise None.

        Raises:
            VectorBackendUnavailable: The folder cannot be read.
        """
        with self._lock:
            entry = self._readers.get(scope.name)
        return entry.reader if entry and entry.stamp == _stamp(folder) else None

    def last(self, scope: Scope) -> LocalReader | None:
        """The open generation of a scope, live or not."""
        with self._lock:
            entry = self._readers.get(scope.name)
        return entry.reader if entry else None

    def failure(self, scope: Scope, folder: Path) -> SearchSocketError | None:
        """The error of the last try to open the live generation, or None."""
        with self._lock:
            failure = self._failures.get(scope.name)
        return failure.error if failure and failure.stamp == _stamp(folder) else None

    def forget(self, scope: Scope) -> None:
        """Release the files of a scope; queries that still read them can finish."""
        with self._lock:
            self._readers.pop(scope.name, None)
            self._failures.pop(scope.name, None)
        if self._memory is not None:
            self._memory.remove((id(self), scope.name))

    def close(self) -> None:
        """Release the files of all scopes; queries that still read them can finish."""
        with self._lock:
            scopes = [entry.scope for entry in self._readers.values()]
        for scope in scopes:
            self.forget(scope)

    def _used(self, scope: Scope) -> _OpenReader | None:
        with self._lock:
            entry = self._readers.pop(scope.name, None)
            if entry:
                self._readers[scope.name] = entry
        if entry and self._memory is not None:
            self._memory.touch((id(self), scope.name))
        return entry

    def _opened(self, scope: Scope, folder: Path, *, for_queries: bool) -> LocalReader:
        for _ in range(MAX_OPEN_TRIES):
            stamp = _stamp(folder)
            current = read_current(folder)
            if stamp is None or current is None:
                self.forget(scope)  # an open reader would keep deleted files on the disk
                raise ScopeNotIndexed(scope.name)
            with self._lock:
                entry = self._readers.get(scope.name)
            if entry and entry.stamp == stamp:  # another thread was first
                return entry.reader
            live = folder / current.live
            self._wait_for_another_try(scope, stamp, live)
            try:
                reader = self._open(live, self._room(scope) if for_queries else None)
                if for_queries:
                    reader.prepare()
                if entry:
                    reader.catalogue.copy_unchanged(entry.reader.catalogue)
            except (FileNotFoundError, SearchSocketError) as error:
                # Two publishes in the meantime delete the files; SQLite does not report that as such.
                if read_current(folder) != current:
                    continue
                if isinstance(error, SearchSocketError):
                    self._remember(scope, folder, stamp, live, error)
                    raise
                missing = corrupt(Path(error.filename or live), "is missing")
                self._remember(scope, folder, stamp, live, missing)
                raise missing from error
            self._hold(scope, _OpenReader(scope, folder, stamp, reader))
            return reader
        raise VectorBackendUnavailable(f"{folder} changed during every attempt to read it")

    def _wait_for_another_try(self, scope: Scope, stamp: Stamp, live: Path) -> None:
        """Raise the last error again until a file changes or the pause ends: opening hashes every file."""
        failure = self._failures.get(scope.name)
        if (
            failure
            and failure.stamp == stamp
            and self._clock() < failure.again_at
            and failure.files == file_stamps(live)
        ):
            raise copy.copy(failure.error)

    def _remember(self, scope: Scope, folder: Path, stamp: Stamp, live: Path, error: SearchSocketError) -> None:
        files = file_stamps(live)
        before = self._failures.get(scope.name)
        is_same = before is not None and (before.stamp, before.files) == (stamp, files)
        pause_s = min(2 * before.pause_s, _MAX_PAUSE_S) if before and is_same else _FIRST_PAUSE_S
        # A copy, because the traceback of the error keeps everything alive that was opened before it.
        failure = _Failure(scope, folder, stamp, files, copy.copy(error), pause_s, self._clock() + pause_s)
        with self._lock:
            self._failures[scope.name] = failure

    def _room(self, scope: Scope) -> int:
        """The number of bytes of vectors that may be read into memory for a scope."""
        with self._lock:
            others = sum(entry.reader.read_bytes for name, entry in self._readers.items() if name != scope.name)
        room = min(MAX_READ_BYTES, _MAX_ALL_READ_BYTES - others)
        return min(room, self._memory.max_bytes // _MIN_LARGE_SCOPES) if self._memory is not None else room

    def _hold(self, scope: Scope, entry: _OpenReader) -> None:
        with self._lock:
            self._failures.pop(scope.name, None)
            self._readers.pop(scope.name, None)
            self._readers[scope.name] = entry
            surplus = [entry.scope for entry in self._readers.values()][:-_MAX_READERS]
        if self._memory is not None:
            close = partial(self.forget, scope)
            self._memory.add((id(self), scope.name), entry.reader.memory_bytes, close)
        for surplu in surplus:
            self.forget(surplu)


def _stamp(folder: Path) -> Stamp | None:
    """Inode, time and size of CURRENT, which change whenever it is replaced; None if it does not exist."""
    try:
        stat = os.stat(os.path.join(folder, CURRENT))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise system_error("cannot read", folder / CURRENT, error, VectorBackendUnavailable) from error
    return stat.st_ino, stat.st_mtime_ns, stat.st_size
