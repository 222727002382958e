"""Ignore files as git reads them: nested, the deepest first, then git's own exclude files."""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from searchsocket.errors import SourceUnavailable
from searchsocket.text.globs import Patterns

GIT_FILE, OWN_FILE = ".gitignore", ".searchsocketignore"
FILES = (GIT_FILE, OWN_FILE)  # in one folder, the second takes precedence

ReadIgnore = Callable[[str], bytes | None]  # path -> contents of the file; None if it does not count


class IgnoredBy(Enum):
    """Origin of the rule that ignores a file."""

    GIT = "git"
    OWN = OWN_FILE


@dataclass(frozen=True, slots=True)
class _File:
    """An ignore file."""

    folder: str  # with a trailing slash; "" at the top
    patterns: Patterns
    by: IgnoredBy


@dataclass(frozen=True, slots=True)
class Ignored:
    """Ignore rules of one folder: its own ignore files, those of its parents, and git's exclude files."""

    files: tuple[_File, ...] = ()  # the first one with a matching pattern decides
    ignores_case: bool = False  # as `core.ignoreCase` of git

    @classmethod
    def outside(cls, excludes: Iterable[tuple[str, bytes]], *, ignores_case: bool = False) -> "Ignored":
        """The rules of files outside the tree.

        Args:
            excludes: Name and contents of each file, highest precedence first.

        Raises:
            SourceUnavailable: A file has a line that is too long, or too many patterns.
        """
        files = (_File("", _patterns(name, data, ignores_case), IgnoredBy.GIT) for name, data in excludes)
        return cls(tuple(files), ignores_case)

    def enter(self, folder: str, read: ReadIgnore, names: Sequence[str] = FILES) -> "Ignored":
        """Return the rules inside a subfolder.

        Args:
            folder: Path with a trailing slash; "" at the top.
            names: The ignore files in it.

        Raises:
            SourceUnavailable: An ignore file exists but cannot be read, so nothing may be indexed.
        """
        files = [
            _File(
                folder,
                _patterns(folder + name, data, self.ignores_case),
                IgnoredBy.OWN if name == OWN_FILE else IgnoredBy.GIT,
            )
            for name in names
            if (data := read(folder + name)) is not None
        ]
        return Ignored((*reversed(files), *self.files), self.ignores_case) if files else self

    def __call__(self, path: str, *, is_tracked: bool = False) -> IgnoredBy | None:
        """Return who ignores a path below; None if it is not ignored. The path of a folder ends with a slash.

        An ignored folder is not entered: in git, too, its contents cannot be included again.

        Args:
            is_tracked: git does not ignore a file that it tracks.
        """
        data = os.fsencode(path)
        for file in self.files:
            verdict = file.patterns.verdict(data[len(os.fsencode(file.folder)) :])
            if verdict and not (is_tracked and file.by is IgnoredBy.GIT):
                return file.by
            if verdict is False:
                return None
        return None


def _patterns(name: str, data: bytes, ignores_case: bool) -> Patterns:
    try:
        return Patterns(data, ignores_case=ignores_case)
    except ValueError as error:
        raise SourceUnavailable(f"{name!a} cannot be used as an ignore file: {error}") from error
