"""Files that are written among those of somebody else: what is not ours is never overwritten or deleted."""

import os
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from searchsocket.content.llms.record import FileRecords, OwnFile, OwnRecord
from searchsocket.system.errors import system_error
from searchsocket.system.files import write_atomic

RECORDS = "llms"  # folder of the state, with a record for each folder that is written to


class OwnFiles:
    """The files of ours in one folder, and the record of them, which lies elsewhere.

    Args:
        folder: Where they lie.
        record: The file that says which they are.
        scope: That they are of.
    """

    def __init__(self, folder: Path, record: Path, scope: str) -> None:
        self._folder = folder
        self._root = Path(os.path.realpath(folder))
        self._record = OwnRecord(record)
        self._scope = scope
        previous = self._record.read()
        self._is_new = previous.folder != str(self._root)
        self._manifest = FileRecords() if self._is_new else previous
        self._before = dict(self._manifest.files)
        self._now: dict[str, OwnFile] = {}
        self.written = 0
        self.removed = 0
        self.foreign: list[str] = []  # names that somebody else's file has

    def facts(self, name: str, made_of: str) -> Mapping[str, Any] | None:
        """The recorded facts of a file that was made from the same input."""
        previous = self._before.get(name)
        return previous.facts if previous and previous.made_of == made_of else None

    def put(self, name: str, made_of: str, make: Callable[[], bytes], facts: Mapping[str, Any]) -> None:
        """Have a file there; made only where it is another than before, missing or damaged.

        Raises:
            StateUnavailable, PermissionDenied: It cannot be written.
        """
        previous, path = self._before.get(name), self._folder / name
        if previous and previous.made_of == made_of and _stamp(path) == previous.stamp:
            self._now[name] = previous
            return
        data = make()
        if not _holds(path, data):
            if self._leads_out(path) or (os.path.lexists(path) and not self._is_ours(path, name)):
                self.foreign.append(name)
                return
            self._begin(name, data)
            write_atomic(path, data, durable=False)
            self.written += 1
        self._now[name] = OwnFile(made_of, sha256(data).hexdigest(), _stamp(path), facts)

    def keep_rest(self) -> None:
        """Leave all that was not put this time as it is."""
        self._now = {**self._before, **self._now}

    def remove_rest(self) -> None:
        """Delete what was not put this time, where it still is as we wrote it, and folders that are empty then.

        Raises:
            StateUnavailable, PermissionDenied: It cannot be deleted.
        """
        for name in {**self._before, **self._manifest.begun}:
            path = self._folder / name
            if name in self._now or name in self.foreign or self._leads_out(path) or not self._is_ours(path, name):
                continue
            try:
                path.unlink()
                self.removed += 1
                for folder in path.parents:
                    if folder == self._folder or any(folder.iterdir()):
                        break
                    folder.rmdir()
            except FileNotFoundError:
                continue  # gone meanwhile
            except OSError as error:
                raise system_error("cannot delete", path, error) from error

    @property
    def digest(self) -> str:
        """Equal digests mean that the same files lie there."""
        lines = (f"{name} {file.sha256}" for name, file in sorted(self._now.items()))
        return sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()

    def save(self) -> None:
        """Write the record."""
        self._record.save(str(self._root), self._scope, self._now)

    def _begin(self, name: str, data: bytes) -> None:
        if self._is_new:  # that the folder has files of ours is known before the first is there
            self._record.save(str(self._root), self._scope, {})
            self._is_new = False
        self._record.begin(name, sha256(data).hexdigest())

    def _is_ours(self, path: Path, name: str) -> bool:
        """Return True if the last run, or one that died since, wrote the file and no one changed it."""
        previous = self._before.get(name)
        ours = self._manifest.begun.get(name, frozenset()) | ({previous.sha256} if previous else set())
        if not ours or path.is_symlink():
            return False
        try:
            return sha256(path.read_bytes()).hexdigest() in ours
        except OSError:
            return False

    def _leads_out(self, path: Path) -> bool:
        """Return True if the path leads out through a link, or if a parent folder is a file."""
        parent = path.parent
        while not parent.exists():
            if parent.is_symlink():
                return True
            parent = parent.parent
        return not parent.is_dir() or not Path(os.path.realpath(parent)).is_relative_to(self._root)


def remove_others(records: Path, scope: str, folder: Path | None) -> int:
    """Delete what is left of a scope in folders that it is not written to any longer, where it is as we wrote it.

    Args:
        records: The folder of all records.
        folder: Where the scope is written to now; None = nowhere.

    Returns:
        The number of files deleted.

    Raises:
        StateUnavailable, PermissionDenied: Something cannot be deleted.
    """
    removed = 0
    for path in sorted(records.glob("*.json")):
        previous = OwnRecord(path).read()
        if (
            previous.folder
            and previous.scope == scope
            and (folder is None or previous.folder != os.path.realpath(folder))
        ):
            files = OwnFiles(Path(previous.folder), path, scope)
            files.remove_rest()
            OwnRecord(path).delete()  # last: a run that dies before goes on the next time
            removed += files.removed
    return removed


def _stamp(path: Path) -> str:
    """Size and time of whatever has the name; "" where nothing has."""
    try:
        info = path.lstat()
    except OSError:
        return ""
    return f"{info.st_mode}:{info.st_size}:{info.st_mtime_ns}"


def _holds(path: Path, data: bytes) -> bool:
    try:
        return not path.is_symlink() and path.stat().st_size == len(data) and path.read_bytes() == data
    except OSError:
        return False


def names_that_clash(names: Iterable[str]) -> set[str]:
    """Names that another one needs as a folder, `a.md` beside `a.md/b.md`: such pages are served, and not written."""
    previous = set(names)
    return {
        "/".join(parts[:cut])
        for parts in (name.split("/") for name in previous)
        for cut in range(1, len(parts))
        if "/".join(parts[:cut]) in previous
    }
