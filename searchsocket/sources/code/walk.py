"""Find the source files of a tree, in any kind of storage."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from pathspec import GitIgnoreSpec

from searchsocket.code.file_kinds import language_of
from searchsocket.code.ignore import FILES, Ignored, ReadIgnore, excluded_file, excluded_folder
from searchsocket.errors import ConfigError, SourceUnavailable
from searchsocket.sources.base import SourceReport
from searchsocket.sources.files import MAX_DEPTH
from searchsocket.system.locators import locator_of

E = TypeVar("E")


@dataclass(frozen=True, slots=True)
class Listing(Generic[E]):
    """Entries of one folder, by name."""

    folders: Sequence[str] = ()
    files: Mapping[str, E] = field(default_factory=dict)
    others: Mapping[str, str] = field(default_factory=dict)  # name -> reason why it is not a file: a link, a submodule


ListFolder = Callable[[str], Listing[E]]  # argument: path with a trailing slash, "" at the top


@dataclass(frozen=True, slots=True)
class GlobFilter:
    """Selected files: globs with the syntax of `.gitignore` over their paths."""

    include: GitIgnoreSpec | None
    exclude: GitIgnoreSpec | None

    def takes(self, path: str) -> bool:
        """Return True if a file is selected, or if a folder may contain one."""
        if self.exclude is not None and self.exclude.match_file(path):
            return False
        return path.endswith("/") or self.include is None or self.include.match_file(path)


def glob_filter(include: Sequence[str], exclude: Sequence[str]) -> GlobFilter:
    """Compile `code.include` and `code.exclude`; an empty include selects every file of a known language.

    Raises:
        ConfigError: A glob is invalid.
    """
    specs = []
    for name, globs in (("include", include), ("exclude", exclude)):
        try:
            specs.append(GitIgnoreSpec.from_lines(globs) if globs else None)
        except (ValueError, TypeError) as error:
            raise ConfigError(f"code.{name}: {error}; it is a list of globs such as 'src/**'") from error
    return GlobFilter(*specs)


def source_files(
    list_folder: ListFolder[E], read_ignore: ReadIgnore, prefix: str, filter_: GlobFilter, report: SourceReport
) -> Iterator[tuple[str, E]]:
    """Yield (path, entry) of every source file below a folder, in the order of path parts.

    Args:
        prefix: The folder in its repository, with a trailing slash; "" at the top. Ignore files above it apply.
        report: Collects files that could be source but are left out, with the reasons.

    Raises:
        SourceUnavailable: An ignore file, or the folder itself, cannot be read.
    """
    rules, above = Ignored(), ""
    for part in prefix.split("/")[:-1]:
        rules = rules.enter(above, read_ignore)
        above += f"{part}/"
    walk = _Walk(list_folder, read_ignore, len(prefix), filter_, report)
    yield from walk.below(prefix, rules, 0)


@dataclass(frozen=True, slots=True)
class _Walk(Generic[E]):
    list_folder: ListFolder[E]
    read_ignore: ReadIgnore
    skipped: int  # characters of a path above the project
    filter: GlobFilter
    report: SourceReport

    def below(self, folder: str, rules: Ignored, depth: int) -> Iterator[tuple[str, E]]:
        listing = self.list_folder(folder)
        if depth and ".git" in {*listing.folders, *listing.files, *listing.others}:
            self.report.skipped[self._locator(folder)] = "another repository"
            return
        if folders := [name for name in FILES if name in listing.folders]:
            raise SourceUnavailable(f"{folder}{folders[0]} is a folder, not an ignore file; remove it")
        if names := tuple(name for name in FILES if name in listing.files or name in listing.others):
            rules = rules.enter(folder, self.read_ignore, names)
        siblings = {*listing.folders, *listing.files}
        for name in sorted([*listing.files, *(f"{subfolder}/" for subfolder in listing.folders)]):
            path = folder + name
            if name.endswith("/"):
                if excluded_folder(name[:-1], siblings, at_top=not depth) or rules(path) or not self._takes(path):
                    continue
                if depth >= MAX_DEPTH:
                    self.report.failed[self._locator(path)] = f"more than {MAX_DEPTH} folders deep"
                    continue
                yield from self.below(path, rules, depth + 1)
            elif language_of(name) and not excluded_file(name) and not rules(path) and self._takes(path):
                yield path[self.skipped :], listing.files[name]
        for name, why in sorted(listing.others.items()):
            if language_of(name) and not excluded_file(name) and not rules(folder + name):
                self.report.skipped[self._locator(folder + name)] = why

    def _takes(self, path: str) -> bool:
        return self.filter.takes(path[self.skipped :])

    def _locator(self, path: str) -> str:
        return locator_of(path[self.skipped :])
