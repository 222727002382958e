"""The plan of `init`, with integrations in themes; make its changes, with a diff before and a record to undo them."""

import difflib
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from string import Template

from searchsocket.errors import StateUnavailable
from searchsocket.project.project import Project
from searchsocket.setup.build import ReadText
from searchsocket.setup.client_files import COMPONENT, is_copy
from searchsocket.setup.site import SiteFacts
from searchsocket.system.errors import system_errors
from searchsocket.system.files import write_atomic

RECORD = "init.json"  # in the state folder, which git ignores
_LONG_LINE = 400  # characters; a file with longer lines is generated
# Takes a file's name and text. True if the last `init` wrote it, False if it was edited since, None without a record,
# as in the clone of a colleague.
Ours = Callable[[str, str], bool | None]
AT_CORNER = "position: fixed; inset-block-end: 1rem; inset-inline-end: 1rem; z-index: 40"
WRITTEN = "Written by `searchsocket init`."
_MARKS = (WRITTEN, "<!-- Search dialog: opens with the button")  # of files that some release of `init` wrote
_SOURCE = re.compile(  # of results and answers, in such a file
    r"""\b(?:endpoint|static)(?:="[^"]*"|'?[:,] '[^']*'|(?=[> ]))(?:,? answers(?:="[^"]*"|: '[^']*'))?"""
)


TEMPLATES = Path(__file__).with_name("templates")


def template(name: str, folder: Path = TEMPLATES, /, **values: str) -> str:
    """Return a file of a folder with the values for its `$names`; `$written` is `WRITTEN`."""
    text = (folder / name).read_text(encoding="utf-8")
    return Template(text).substitute(values, written=WRITTEN)


@dataclass(frozen=True, slots=True)
class Change:
    """Change of a file."""

    path: str  # project-relative
    before: str | None  # None for a new file
    after: str

    @property
    def diff(self) -> str:
        """Diff in the format of `git diff`."""
        lines = difflib.unified_diff(
            (self.before or "").splitlines(keepends=True),
            self.after.splitlines(keepends=True),
            "/dev/null" if self.before is None else f"a/{self.path}",
            f"b/{self.path}",
        )
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)

    @property
    def is_for_programs(self) -> bool:
        """True for a generated file, whose diff is of no use to a person."""
        return max(map(len, self.after.splitlines()), default=0) > _LONG_LINE


@dataclass(frozen=True, slots=True)
class Paste:
    """Text that the user must add by hand, because init cannot change the file safely."""

    where: str
    text: str
    why: str


@dataclass(slots=True)
class Plan:
    """Planned changes."""

    facts: SiteFacts
    changes: tuple[Change, ...] = ()
    steps: tuple[str, ...] = ()  # commands after each build
    is_one_step: bool = False  # True if the site's own build runs them
    pastes: list[Paste] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def own(self, name: str, old: str | None, text: str, ours: Ours) -> Change:
        """Return the change of a file that `init` writes whole; an edited file stays, with a note."""
        recorded = None if old is None or old == text else ours(name, old)
        if old is None or old == text or is_copy(old) or recorded or _SOURCE.sub("", old) == _SOURCE.sub("", text):
            return Change(name, old, text)
        if recorded is False:
            self.notes.append(f"{name} was edited since, so init keeps it")
        elif any(mark in old for mark in _MARKS):
            self.notes.append(
                f"{name} is not as this release writes it: it was edited, or another release wrote it. To renew it, "
                "delete it and run `searchsocket init` again"
            )
        else:
            self.pastes.append(Paste(name, text, "the file exists and is not from init"))
        return Change(name, old, old)


def distinct(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Return the changes with a difference."""
    return tuple(change for change in changes if change.before != change.after)


@dataclass(frozen=True, slots=True)
class Edit:
    """Edit of a file that belongs to the site's owner."""

    path: str  # project-relative
    change: Callable[[str], str | None]  # text ("" for a new file) -> text with our lines; None if it is unclear
    paste: str  # lines to add by hand if `change` returns None
    why: str = ""  # reason for adding them by hand; "": the file could not be parsed
    mark: str = ""  # a file with this text already has our lines and is not changed; "": `change` decides
    correct: Callable[[str], str] = str  # removes wrong lines of an earlier release


@dataclass(frozen=True, slots=True)
class Integration:
    """Files and edits for one site. All paths are project-relative.

    An edit is written only if those before it are: the theme's own search is turned off last.
    """

    component: str  # folder for the copies of the component and its labels
    files: Mapping[str, str] = field(default_factory=dict)  # other files of ours
    edits: tuple[Edit, ...] = ()
    module: str = COMPONENT  # name of the component's copy


@dataclass(frozen=True, slots=True)
class AnswerSource:
    """Attribute of the dialog with the source of results, such as `endpoint` of a service."""

    name: str
    value: str
    answers: str = ""  # address of answers in sentences; "" = none
    is_service: bool = True  # otherwise a folder of files; without a value, that of `components.js`
    meaning: str = "URL of `searchsocket serve` for visitors"  # of the value, for a comment

    @property
    def attributes(self) -> dict[str, str]:
        """All attributes by name."""
        return {self.name: self.value} | ({"answers": self.answers} if self.answers else {})

    @property
    def html(self) -> str:
        """The attributes in HTML."""
        return " ".join(f'{name}="{value}"' if value else name for name, value in self.attributes.items())

    @property
    def script(self) -> str:
        """Statements that give them to `dialog`, with the meaning of the first one."""
        first, *others = (f"dialog.setAttribute('{name}', '{value}');" for name, value in self.attributes.items())
        return "\n".join([f"{first} // {self.meaning}", *others])

    @property
    def beside_script(self) -> "AnswerSource":
        """The source for a component in a folder of files: relative, so that it works below any path."""
        return self if self.is_service else replace(self, value="")


Integrate = Callable[[ReadText, SiteFacts, AnswerSource], Integration]


def insert_lines(text: str, opening: str, lines: str, taken: str = "") -> str | None:
    """Insert lines after the only match of a pattern, with the indentation of the next line.

    Args:
        taken: A pattern; return None for a text that contains it.
    """
    matches = [*re.finditer(opening, text, re.MULTILINE)]
    if len(matches) != 1 or (taken and re.search(taken, text)):
        return None
    at = matches[0].end()
    indent = re.match(r"\n([ \t]+)", text[at:])
    space = indent[1] if indent else "  "
    return text[:at] + "".join(f"\n{space}{line}" for line in lines.split("\n")) + text[at:]


def colours(**names: str) -> str:
    """Return declarations of the component's CSS variables, from those of a theme."""
    lines = (f"  --searchsocket-{name.replace('_', '-')}: {value};" for name, value in names.items())
    return "\n".join(lines)


def make(project: Project, changes: Sequence[Change]) -> None:
    """Make the changes, and record the original contents of the files.

    Raises:
        StateUnavailable, PermissionDenied: A file cannot be written, or was edited since the diff was shown; or the
            record names a file outside of the project.
    """
    root = project.root
    for change in changes:
        path = root / change.path
        if not _is_inside(root, path):
            raise StateUnavailable(f"{path} is a symbolic link out of the project; no file was changed")
        if _text(path) != change.before:
            raise StateUnavailable(
                f"{path} was edited in the meantime; no file was changed. Run `searchsocket init` again"
            )
    record = _record(project)
    for change in changes:
        entry = record.get(change.path)
        record[change.path] = {"before": entry["before"] if entry else change.before, "after": _digest(change.after)}
    _save(project, record)
    for change in changes:
        path = root / change.path
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
        write_atomic(path, change.after.encode("utf-8"), durable=False, mode=mode)


@dataclass(frozen=True, slots=True)
class Undone:
    """Result of an undo."""

    restored: tuple[str, ...]  # files with their original contents
    removed: tuple[str, ...]  # files that `init` had created
    kept: tuple[str, ...]  # files that were edited since


def recorded_files(project: Project) -> tuple[str, ...]:
    """The files that `undo` would restore or delete, unless they were edited since.

    Raises:
        StateUnavailable: The record names a file outside of the project.
    """
    return tuple(_record(project))


def undo(project: Project) -> Undone:
    """Undo the changes of `make`, except in files that were edited since.

    Raises:
        StateUnavailable, PermissionDenied: A file cannot be written; or the record names a file outside of the project,
            so nothing was changed.
    """
    record = _record(project)
    restored, removed, edited = [], [], {}
    for name, entry in record.items():
        path = project.root / name
        text = _text(path)
        if text is None and entry["before"] is None:
            continue
        if text is None or _digest(text) != entry["after"]:
            edited[name] = entry
        elif entry["before"] is None:
            _delete(project.root, path)
            removed.append(name)
        else:
            write_atomic(path, entry["before"].encode("utf-8"), durable=False, mode=path.stat().st_mode & 0o777)
            restored.append(name)
    _save(project, edited)
    return Undone(tuple(restored), tuple(removed), tuple(edited))


def is_ours(project: Project, name: str, text: str) -> bool | None:
    """Return True if a file is unchanged since the last `init` wrote it, and None without a record of it."""
    entry = _record(project).get(name)
    return None if entry is None else entry["after"] == _digest(text)


def _record(project: Project) -> dict[str, dict[str, str | None]]:
    file = project.state_dir / RECORD
    try:
        content = json.loads(file.read_bytes())
        record = {str(name): {"before": entry["before"], "after": entry["after"]} for name, entry in content.items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}  # there is no record, or it is damaged: undo then changes nothing
    if outside := next((name for name in record if not _is_inside(project.root, project.root / name)), None):
        raise StateUnavailable(f"{file} names {outside!r}, which is outside of the project; delete {file.name}")
    return record


def _is_inside(root: Path, path: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))


def _save(project: Project, record: dict[str, dict[str, str | None]]) -> None:
    path = project.state_dir / RECORD
    if record:
        write_atomic(path, json.dumps(record, ensure_ascii=False).encode("utf-8", "surrogatepass"), durable=False)
    elif path.exists():
        _delete(project.root, path)


def _delete(root: Path, path: Path) -> None:
    """Delete a file, and the folders that are then empty."""
    with system_errors("cannot delete", path):
        path.unlink()
        for folder in path.parents:
            if folder == root or any(folder.iterdir()):
                break
            folder.rmdir()


def _text(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise StateUnavailable(f"{path} is not a text file: {error}") from error


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
