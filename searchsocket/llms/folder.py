"""Files that are written among those of somebody else: what is not ours is never overwritten or deleted."""

import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from searchsocket.system.errors import system_error
from searchsocket.system.files import write_atomic


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A file as we wrote it."""

    made_of: str  # digest of what it was made of: equal ones make equal files
    sha256: str
    stamp: str  # size and time, so that a file that nobody touched need not be read
    facts: Mapping[str, Any] = field(default_factory=dict)  # what the next run wants to know without making it


class OwnFiles:
    """The files of ours in one folder, and the record of them, which lies elsewhere.

    Args:
        folder: Where they lie.
        record: The file that says which they are.
    """

    def __init__(self, folder: Path, record: Path) -> None:
        self._folder = folder
        self._root = Path(os.path.realpath(folder))
        self._record = record
        self._before = _read(record, str(self._root))
        self._now: dict[str, OwnFile] = {}
        self.written = 0
        self.removed = 0
        self.foreign: list[str] = []  # names that somebody else's file has

    def facts(self, name: str, made_of: str) -> Mapping[str, Any] | None:
        """What is known of a file that was made of the same, as far as the record goes."""
        known = self._before.get(name)
        return known.facts if known and known.made_of == made_of else None

    def put(self, name: str, made_of: str, make: Callable[[], bytes], facts: Mapping[str, Any]) -> None:
        """Have a file there; made only where it is another than before, missing or damaged.

        Raises:
            StateUnavailable, PermissionDenied: It cannot be written.
        """
        known, path = self._before.get(name), self._folder / name
        if known and known.made_of == made_of and _stamp(path) == known.stamp:
            self._now[name] = known
            return
        data = make()
        if not _holds(path, data):
            if self._leads_out(path) or (os.path.lexists(path) and not self._is_ours(path, known)):
                self.foreign.append(name)
                return
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
        for name, known in self._before.items():
            path = self._folder / name
            if name in self._now or name in self.foreign or self._leads_out(path) or not self._is_ours(path, known):
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
        files = {name: asdict(file) for name, file in sorted(self._now.items())}
        write_atomic(self._record, json.dumps({"folder": str(self._root), "files": files}).encode(), durable=False)

    def _is_ours(self, path: Path, known: OwnFile | None) -> bool:
        if known is None or path.is_symlink():
            return False
        try:
            return sha256(path.read_bytes()).hexdigest() == known.sha256
        except OSError:
            return False

    def _leads_out(self, path: Path) -> bool:
        """Whether a link on the way leads elsewhere, or what should be a folder is a file."""
        parent = path.parent
        while not parent.exists():
            if parent.is_symlink():
                return True
            parent = parent.parent
        return not parent.is_dir() or not Path(os.path.realpath(parent)).is_relative_to(self._root)


def _read(record: Path, folder: str) -> dict[str, OwnFile]:
    """What is on record of a folder; nothing where the record is missing, damaged or of another one."""
    try:
        found = json.loads(record.read_bytes())
        if found["folder"] != folder:
            return {}
        return {str(name): OwnFile(**values) for name, values in found["files"].items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}


def _stamp(path: Path) -> str:
    """Size and time of whatever has the name; "" where nothing has."""
    try:
        found = path.lstat()
    except OSError:
        return ""
    return f"{found.st_mode}:{found.st_size}:{found.st_mtime_ns}"


def _holds(path: Path, data: bytes) -> bool:
    try:
        return not path.is_symlink() and path.stat().st_size == len(data) and path.read_bytes() == data
    except OSError:
        return False


def names_that_clash(names: Iterable[str]) -> set[str]:
    """Names that another one needs as a folder, `a.md` beside `a.md/b.md`: such pages are served, and not written."""
    known = set(names)
    return {
        "/".join(parts[:cut])
        for parts in (name.split("/") for name in known)
        for cut in range(1, len(parts))
        if "/".join(parts[:cut]) in known
    }
