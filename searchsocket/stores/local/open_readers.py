"""The generations that are held open, one a scope: noticed when they are no longer live, closed when they are many."""

import os
import threading
from collections.abc import Callable
from pathlib import Path

from searchsocket.errors import IndexCorrupt, ScopeNotIndexed, VectorBackendUnavailable
from searchsocket.stores.local.layout import CURRENT, corrupt, read_current
from searchsocket.stores.local.reader import LocalReader
from searchsocket.types import Scope

MAX_OPEN_TRIES = 20  # each one needs another publish to have removed what CURRENT named a moment ago
_MAX_READERS = 64  # scopes held open; each has its files mapped

Stamp = tuple[int, int, int]


class OpenReaders:
    """Safe to share between threads."""

    def __init__(self, open_generation: Callable[[Path], LocalReader]) -> None:
        """Args: open_generation: opens a generation's folder; raises FileNotFoundError where a file is missing."""
        self._open = open_generation
        self._lock = threading.Lock()
        self._opening = threading.Lock()
        self._readers: dict[str, tuple[Stamp, LocalReader]] = {}  # by scope, the one that was used last at the end

    def newest(self, scope: Scope, folder: Path) -> LocalReader:
        """The live generation of a scope's folder. While one thread opens it, others get the one before.

        Raises:
            ScopeNotIndexed: Nothing is live.
            IndexCorrupt: A file is missing or damaged.
            VectorBackendUnavailable: The folder cannot be read, or changes faster than that.
        """
        stamp = _stamp(folder)
        if stamp is None:
            self.forget(scope)  # its files may be gone, and would stay on the disk
            raise ScopeNotIndexed(scope.name)
        with self._lock:
            known = self._readers.pop(scope.name, None)
            if known:
                self._readers[scope.name] = known
        if known and known[0] == stamp:
            return known[1]
        if not self._opening.acquire(blocking=known is None):
            assert known is not None
            return known[1]
        try:
            return self._opened(scope, folder)
        finally:
            self._opening.release()

    def held(self, scope: Scope, folder: Path) -> LocalReader | None:
        """The live generation of a scope's folder where it is open already.

        Raises:
            VectorBackendUnavailable: The folder cannot be read.
        """
        with self._lock:
            known = self._readers.get(scope.name)
        return known[1] if known and known[0] == _stamp(folder) else None

    def forget(self, scope: Scope) -> None:
        """Let go of a scope's files; who reads them still can."""
        with self._lock:
            self._readers.pop(scope.name, None)

    def _opened(self, scope: Scope, folder: Path) -> LocalReader:
        for _ in range(MAX_OPEN_TRIES):
            stamp = _stamp(folder)
            current = read_current(folder)
            if stamp is None or current is None:
                raise ScopeNotIndexed(scope.name)
            with self._lock:
                known = self._readers.get(scope.name)
            if known and known[0] == stamp:  # another thread was first
                return known[1]
            try:
                reader = self._open(folder / current.live)
            except FileNotFoundError as error:
                if read_current(folder) == current:
                    raise corrupt(Path(error.filename or folder / current.live), "is missing") from error
                continue
            except IndexCorrupt:
                # SQLite and tantivy do not say that a file is gone, which it is once two runs have published meanwhile.
                if read_current(folder) == current:
                    raise
                continue
            self._hold(scope, stamp, reader)
            return reader
        raise VectorBackendUnavailable(f"{folder} changes faster than it can be read")

    def _hold(self, scope: Scope, stamp: Stamp, reader: LocalReader) -> None:
        with self._lock:
            self._readers.pop(scope.name, None)
            self._readers[scope.name] = (stamp, reader)
            while len(self._readers) > _MAX_READERS:
                del self._readers[next(iter(self._readers))]


def _stamp(folder: Path) -> Stamp | None:
    """Changes whenever the file that names the live generation is replaced."""
    try:
        stat = os.stat(os.path.join(folder, CURRENT))  # noqa: PTH116  (every query asks: pathlib takes as long again)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise VectorBackendUnavailable(f"cannot read {folder / CURRENT}: {error.strerror or error}") from error
    return stat.st_ino, stat.st_mtime_ns, stat.st_size
