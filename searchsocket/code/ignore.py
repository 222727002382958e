"""Nested ignore files, as git reads them: the last pattern that fits decides, and a deeper file goes before."""

from collections.abc import Callable
from dataclasses import dataclass

from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from searchsocket.errors import SourceUnavailable

FILES = (".gitignore", ".searchsocketignore")  # the second goes before the first of the same folder

ReadIgnore = Callable[[str], bytes | None]  # path -> what the file holds; None where there is none
_Match = tuple[Callable[[str], object], bool]  # whether a path fits; whether it is ignored then


@dataclass(frozen=True, slots=True)
class _File:
    """The patterns of one folder, the last one first."""

    folder: str  # with a slash behind it; "" at the top
    patterns: tuple[_Match, ...]


@dataclass(frozen=True, slots=True)
class Ignored:
    """Ignore rules of one folder: its own ignore file and those of its parents."""

    files: tuple[_File, ...] = ()  # the deepest first

    def enter(self, folder: str, read: ReadIgnore, names: tuple[str, ...] = FILES) -> "Ignored":
        """The rules of a folder below.

        Args:
            folder: With a slash behind it; "" at the top.
            names: The ignore files that lie there.

        Raises:
            SourceUnavailable: An ignore file is there and cannot be read: what it keeps out must not get in.
        """
        lines = [line for name in names for line in _lines(folder + name, read)]
        patterns = tuple(match for line in reversed(lines) if (match := _compiled(*line)))
        return Ignored((_File(folder, patterns), *self.files)) if patterns else self

    def __call__(self, path: str) -> bool:
        """Return True if a path below is ignored; the path of a folder ends with a slash.

        A folder that is ignored is not entered: git cannot take back in what lies in one either.
        """
        for file in self.files:
            below = path[len(file.folder) :]
            for fits, ignored in file.patterns:
                if fits(below):
                    return ignored
        return False


def _lines(path: str, read: ReadIgnore) -> list[tuple[str, str, int]]:
    data = read(path)
    text = "" if data is None else data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    return [(line.removesuffix("\r"), path, number) for number, line in enumerate(text.split("\n"), 1)]


def _compiled(line: str, path: str, number: int) -> _Match | None:
    try:
        pattern = GitIgnoreSpecPattern(line)
    except ValueError as error:
        raise SourceUnavailable(
            f"{path!a} line {number}: {line[:80]!a} is not a pattern; correct or remove it"
        ) from error
    if pattern.regex is None or pattern.include is None:
        return None
    return pattern.regex.match, pattern.include
