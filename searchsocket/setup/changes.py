"""Changes to the files of a project: shown first, then made, on record so that they can be taken back."""

import difflib
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from searchsocket.errors import StateUnavailable
from searchsocket.project.project import Project
from searchsocket.system.errors import system_error
from searchsocket.system.files import write_atomic

RECORD = "init.json"  # in the state folder, which git ignores
_LONG_LINE = 400  # characters: such lines were written by a program, for one


@dataclass(frozen=True, slots=True)
class Change:
    """A file as it is and as it is to be."""

    path: str  # project-relative
    before: str | None  # None = there is none
    after: str

    @property
    def diff(self) -> str:
        """As `git diff` has it."""
        lines = difflib.unified_diff(
            (self.before or "").splitlines(keepends=True),
            self.after.splitlines(keepends=True),
            "/dev/null" if self.before is None else f"a/{self.path}",
            f"b/{self.path}",
        )
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)

    @property
    def is_for_programs(self) -> bool:
        """Return True if its diff would tell a person nothing."""
        return max(map(len, self.after.splitlines()), default=0) > _LONG_LINE


def make(project: Project, changes: Sequence[Change]) -> None:
    """Make the changes, and put on record what was there before the first of them.

    Raises:
        StateUnavailable, PermissionDenied: A file cannot be written, or is another one than was shown.
    """
    root = project.root
    for change in changes:
        path = root / change.path
        if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root)):
            raise StateUnavailable(f"{path} is a symbolic link out of the project; no file was changed")
        if _text(path) != change.before:
            raise StateUnavailable(
                f"{path} was edited in the meantime; no file was changed. Run `searchsocket init` again"
            )
    record = _record(project)
    for change in changes:
        digest = record.get(change.path)
        record[change.path] = {"before": digest["before"] if digest else change.before, "after": _digest(change.after)}
    _save(project, record)
    for change in changes:
        path = root / change.path
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
        write_atomic(path, change.after.encode("utf-8"), durable=False, mode=mode)


@dataclass(frozen=True, slots=True)
class Undone:
    """Result of an undo."""

    restored: tuple[str, ...]  # as they were before
    removed: tuple[str, ...]  # that were not there before
    kept: tuple[str, ...]  # that somebody changed since


def undo(project: Project) -> Undone:
    """Take back what `make` did, but for files that somebody changed since.

    Raises:
        StateUnavailable, PermissionDenied: A file cannot be written.
    """
    record = _record(project)
    restored, removed, edited = [], [], {}
    for name, was in record.items():
        path = project.root / name
        now = _text(path)
        if now is None and was["before"] is None:
            continue
        if now is None or _digest(now) != was["after"]:
            edited[name] = was
        elif was["before"] is None:
            _delete(project.root, path)
            removed.append(name)
        else:
            write_atomic(path, was["before"].encode("utf-8"), durable=False, mode=path.stat().st_mode & 0o777)
            restored.append(name)
    _save(project, edited)
    return Undone(tuple(restored), tuple(removed), tuple(edited))


def is_ours(project: Project, name: str, text: str) -> bool:
    """Return True if a file is unchanged since the last `init` wrote it."""
    digest = _record(project).get(name)
    return bool(digest) and digest["after"] == _digest(text) if digest else False


def _record(project: Project) -> dict[str, dict[str, str | None]]:
    try:
        record = json.loads((project.state_dir / RECORD).read_bytes())
        return {str(name): {"before": was["before"], "after": was["after"]} for name, was in record.items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}  # nothing was changed, or nobody knows what: then nothing is taken back


def _save(project: Project, record: dict[str, dict[str, str | None]]) -> None:
    path = project.state_dir / RECORD
    if record:
        write_atomic(path, json.dumps(record, ensure_ascii=False).encode("utf-8", "surrogatepass"), durable=False)
    elif path.exists():
        _delete(project.root, path)


def _delete(root: Path, path: Path) -> None:
    """A file, and the folders that are empty without it."""
    try:
        path.unlink()
        for folder in path.parents:
            if folder == root or any(folder.iterdir()):
                break
            folder.rmdir()
    except OSError as error:
        raise system_error("cannot delete", path, error) from error


def _text(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise StateUnavailable(f"{path} is not a text file: {error}") from error


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def distinct(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Those that change something."""
    return tuple(change for change in changes if change.before != change.after)
