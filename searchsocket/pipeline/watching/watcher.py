"""Watch the file system for any change; callers then check the disk for details."""

import os
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import watchfiles

_STEP_MS = 50
_DEBOUNCE_MS = 200
_TIMEOUT_MS = 500
_READY_S = 30.0
_IGNORED = frozenset({"node_modules", "__pycache__"})


class Watcher:
    """Watches files and folders, existing or not; use it from one thread.

    A folder that a build deletes and makes again is lost to the system's watch. So the folders above it are watched
    too, and `cover` attaches again if a new folder has appeared.
    """

    def __init__(self, ignored: Path) -> None:
        """
        Args:
            ignored: A folder whose changes are ignored: that of the state.
        """
        self._ignored = os.path.realpath(ignored)
        self._changed = threading.Event()
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []
        self._covered: object = None

    def cover(self, files: Sequence[str], folders: Sequence[str]) -> None:
        """Watch these paths, and return once the watch is active: later changes are detected."""
        inside = [folder for folder in folders if os.path.isdir(folder)]
        above = sorted({_nearest(os.path.dirname(path)) for path in (*files, *folders)} - set(inside))  # noqa: PTH120
        covered = [(path, os.stat(path).st_ino) for path in (*inside, *above)]
        if covered == self._covered:
            return
        self.close()
        self._stop = threading.Event()
        ready = [self._attach(inside, recursive=True)] if inside else []
        ready += [self._attach(above, recursive=False)] if above else []
        for event in ready:
            event.wait(_READY_S)
        self._covered = covered
        self._changed.set()  # something may have changed in between

    def wait(self, timeout_s: float) -> bool:
        """Wait for a change since the last call, up to the timeout; return True if there was one."""
        changed = self._changed.wait(timeout_s)
        self._changed.clear()
        return changed

    def close(self) -> None:
        """Stop watching."""
        self._stop.set()
        for thread in self._threads:
            thread.join()
        self._threads.clear()
        self._covered = None

    def _attach(self, paths: Sequence[str], *, recursive: bool) -> threading.Event:
        ready = threading.Event()
        thread = threading.Thread(target=self._watch, args=(paths, recursive, ready), name="watch", daemon=True)
        thread.start()
        self._threads.append(thread)
        return ready

    def _watch(self, paths: Sequence[str], recursive: bool, ready: threading.Event) -> None:
        for polling in (None, True):  # poll if the system has no watch left
            try:
                for changes in watchfiles.watch(
                    *paths,
                    watch_filter=self._counts,
                    debounce=_DEBOUNCE_MS,
                    step=_STEP_MS,
                    stop_event=self._stop,
                    rust_timeout=_TIMEOUT_MS,
                    yield_on_timeout=True,
                    raise_interrupt=False,
                    force_polling=polling,
                    recursive=recursive,
                    ignore_permission_denied=True,
                ):
                    ready.set()
                    if changes:
                        self._changed.set()
            except OSError:
                continue
            break
        ready.set()

    @property
    def _counts(self) -> Callable[[watchfiles.Change, str], bool]:
        def counts(_: watchfiles.Change, path: str) -> bool:
            if path == self._ignored or path.startswith(f"{self._ignored}{os.sep}"):
                return False
            return not path.endswith("~") and not _IGNORED & set(Path(path).parts)

        return counts


def _nearest(folder: str) -> str:
    """The folder, or its innermost existing parent."""
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)  # noqa: PTH120
    with suppress(OSError):
        return os.path.realpath(folder)
    return folder
