"""Nested ignore files with git's rules: the last matching pattern decides, and deeper files take precedence."""

from collections.abc import Callable
from dataclasses import dataclass

from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from searchsocket.errors import SourceUnavailable

FILES = (".gitignore", ".searchsocketignore")  # in one folder, the second takes precedence

ReadIgnore = Callable[[str], bytes | None]  # path -> contents of the file; None if it does not exist
_Match = tuple[Callable[[str], object], bool]  # (returns a truthy value if a path matches, True if it is then ignored)


@dataclass(frozen=True, slots=True)
class _File:
    """The patterns of one folder, last one first."""

    folder: str  # with a trailing slash; "" at the top
    patterns: tuple[_Match, ...]


@dataclass(frozen=True, slots=True)
class Ignored:
    """Ignore rules of one folder: its own ignore file and those of its parents."""

    files: tuple[_File, ...] = ()  # deepest first

    def enter(self, folder: str, read: ReadIgnore, names: tuple[str, ...] = FILES) -> "Ignored":
        """Return the rules inside a subfolder.

        Args:
            folder: Path with a trailing slash; "" at the top.
            names: The ignore files in it.

        Raises:
            SourceUnavailable: An ignore file exists but cannot be read, so nothing may be indexed.
        """
        lines = [line for name in names for line in _lines(folder + name, read)]
        patterns = tuple(match for line in reversed(lines) if (match := _compile(*line)))
        return Ignored((_File(folder, patterns), *self.files)) if patterns else self

    def __call__(self, path: str) -> bool:
        """Return True if a path below is ignored; the path of a folder ends with a slash.

        An ignored folder is not entered: in git, too, its contents cannot be included again.
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


def _compile(line: str, path: str, number: int) -> _Match | None:
    try:
        pattern = GitIgnoreSpecPattern(line)
    except ValueError as error:
        raise SourceUnavailable(
            f"{path!a} line {number}: {line[:80]!a} is not a pattern; correct or remove it"
        ) from error
    if pattern.regex is None or pattern.include is None:
        return None
    return pattern.regex.match, pattern.include
