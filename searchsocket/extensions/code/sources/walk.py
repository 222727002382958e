"""Find the source files of a tree in any kind of storage, with git's rules.

git reads its configuration and its index here. It starts no program that a repository names (see `system.git`).
"""

import os
import stat
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Generic, TypeVar

from searchsocket.errors import ConfigMissing, SourceUnavailable
from searchsocket.extensions.code.parsing.file_kinds import is_without_extension, language_of_file
from searchsocket.extensions.code.parsing.selection import (
    FILES,
    GIT_FILE,
    OWN_FOLDERS,
    GlobFilter,
    Ignored,
    IgnoredBy,
    ReadIgnore,
    excluded_file,
    excluded_folder,
    looks_secret,
)
from searchsocket.sources.base import SourceReport
from searchsocket.sources.files import MAX_DEPTH
from searchsocket.sources.git_objects import Repository
from searchsocket.system.locators import locator_of

MAX_IGNORE_BYTES = 1_000_000
_SYSTEM_CONFIG = "/etc/gitconfig"

E = TypeVar("E")
HEAD_BYTES = 256  # of a file without an extension: enough for the line that names its interpreter


class GitExcludes:
    """git's exclude files and tracked files of a working tree; nothing without git, and then with a warning."""

    def __init__(self, top: str, prefix: str) -> None:
        """
        Args:
            top: Top of a working tree.
            prefix: The project in it, with a trailing slash; "" at the top.

        Raises:
            SourceUnavailable: An exclude file is too large.
        """
        self.files: list[str] = []  # absolute paths of all that decided, existing or not
        self.warnings: list[str] = []
        self.excludes: Sequence[tuple[str, bytes]] = ()  # name and contents; highest precedence first
        self.ignores_case = False
        self._top = top
        self._prefix = prefix
        self._repository = Repository(Path(top))
        self._index = ""
        self._tracked: frozenset[str] | None = None
        names: list[str] = []
        try:
            names = self._read()
        except (SourceUnavailable, ConfigMissing) as error:
            self._tracked = frozenset()
            why = "git is not installed" if isinstance(error, ConfigMissing) else str(error)
            self.warnings.append(f"only the ignore files of the project decide what is left out: {why}")
        self.excludes = [(name, data) for name in names if (data := self._contents(name)) is not None]

    def tracks(self, path: str) -> bool:
        """Return True if git tracks a file, or a file in a folder; the path of a folder ends with a slash."""
        if self._tracked is None:
            self._tracked = frozenset(self._tracked_paths())
        return path in self._tracked

    def _read(self) -> list[str]:
        """Read the configuration; return the exclude files, highest precedence first."""
        top, *paths = self._repository.git_paths("info/exclude", "index", "config", "config.worktree")
        if os.path.realpath(top) != self._top:
            raise SourceUnavailable(f"git takes {top} for the top of the repository at {self._top}")
        exclude, self._index, *configs = (os.path.join(self._top, path) for path in paths)
        user = os.path.expanduser("~")  # noqa: PTH111  unlike `Path`, no error without a home folder
        folder = os.path.join(os.environ.get("XDG_CONFIG_HOME") or os.path.join(user, ".config"), "git")
        own = os.path.join(folder, "ignore")
        usual = [*configs, os.path.join(user, ".gitconfig"), os.path.join(folder, "config"), _SYSTEM_CONFIG]
        for origin, key, value in self._repository.configuration():
            usual.append(os.path.join(self._top, origin))
            if key == "core.excludesfile":
                own = os.path.join(self._top, os.path.expanduser(value)) if value else ""  # noqa: PTH111
            elif key == "core.ignorecase":
                self.ignores_case = value.casefold() in ("true", "yes", "on", "1")
        names = [name for name in (exclude, own) if name]
        self.files += [*dict.fromkeys([*usual, *names])]
        return names

    def _contents(self, path: str) -> bytes | None:
        """The bytes of a file that may be anywhere: they are only patterns, and are never shown."""
        try:
            handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe must not block
            with open(handle, "rb") as file:
                data = file.read(MAX_IGNORE_BYTES + 1) if stat.S_ISREG(os.fstat(handle).st_mode) else None
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError) as error:
            self.warnings.append(f"git's exclude file {path!a} cannot be read: {error}")
            return None
        if data is not None and len(data) > MAX_IGNORE_BYTES:
            raise SourceUnavailable(f"git's exclude file {path!a} is larger than {MAX_IGNORE_BYTES:,} bytes")
        return data

    def _tracked_paths(self) -> Iterator[str]:
        self.files.append(self._index)
        try:
            paths = self._repository.tracked(self._prefix)
        except SourceUnavailable as error:
            self.warnings.append(f"files that git tracks are left out if an ignore file names them: {error}")
            return
        parents = {PurePosixPath(path).parent for path in paths}
        yield from paths
        yield from {f"{folder}/" for parent in parents for folder in (parent, *parent.parents)}


@dataclass(frozen=True, slots=True)
class Listing(Generic[E]):
    """Entries of one folder, by name."""

    folders: Sequence[str] = ()
    files: Mapping[str, E] = field(default_factory=dict)
    others: Mapping[str, str] = field(default_factory=dict)  # name -> reason why it is not a file: a link, a submodule


@dataclass(frozen=True, slots=True)
class Tree(Generic[E]):
    """Access to a tree of files. Paths are relative to the top of the repository."""

    list_folder: Callable[[str], Listing[E]]  # argument: path with a trailing slash, "" at the top
    read_ignore: ReadIgnore
    read_head: Callable[[str, E], bytes]  # the first `HEAD_BYTES` of a file; b"" if it cannot be read
    tracks: Callable[[str], bool]  # True for a file that git tracks, and for a folder with one
    ignore_files: Sequence[str] = FILES


def source_files(
    tree: Tree[E], prefix: str, filter_: GlobFilter, rules: Ignored, report: SourceReport
) -> Iterator[tuple[str, E]]:
    """Yield (path, entry) of every source file below a folder, in the order of path parts.

    Args:
        prefix: The folder in its repository, with a trailing slash; "" at the top. Ignore files above it apply.
        rules: Ignore rules from outside the tree.
        report: Collects files that are left out, with the reasons; those that git ignores need none.

    Raises:
        SourceUnavailable: An ignore file, or the folder itself, cannot be read.
    """
    above = ""
    for part in prefix.split("/")[:-1]:
        rules = rules.enter(above, tree.read_ignore, tree.ignore_files)
        above += f"{part}/"
    unmatched = dict(filter_.include_globs)
    for path, entry in _Walk(tree, len(prefix), filter_, report).below(_Folder(prefix, rules, 0)):
        for glob in [glob for glob, patterns in unmatched.items() if patterns.selects(os.fsencode(path))]:
            del unmatched[glob]
        yield path, entry
    report.warnings += [f"code.include: no source file matches {glob!r}" for glob in unmatched]


@dataclass(frozen=True, slots=True)
class _Folder:
    path: str
    rules: Ignored
    depth: int
    is_ignored: bool = False  # only tracked files in it are read
    is_secret: bool = False  # a name above looks secret


@dataclass(frozen=True, slots=True)
class _Walk(Generic[E]):
    tree: Tree[E]
    skipped: int  # characters of a path above the project
    filter: GlobFilter
    report: SourceReport

    def below(self, folder: _Folder) -> Iterator[tuple[str, E]]:
        listing = self.tree.list_folder(folder.path)
        if folder.depth and ".git" in {*listing.folders, *listing.files, *listing.others}:
            self._skip(folder.path, "another repository")
            return
        folder = self._with_ignore_files(folder, listing)
        siblings = {*listing.folders, *listing.files}
        for name in sorted([*listing.files, *(f"{subfolder}/" for subfolder in listing.folders), *listing.others]):
            path = folder.path + name
            if name.rstrip("/") in OWN_FOLDERS or name in FILES:
                continue
            ignored = self._ignored(folder, path)
            if ignored:
                if ignored is IgnoredBy.OWN:
                    self._skip(path, f"excluded by {IgnoredBy.OWN.value}")
            elif name in listing.others:
                self._skip(path, listing.others[name])
            elif name.endswith("/"):
                yield from self._enter(folder, name[:-1], siblings)
            else:
                entry = listing.files[name]
                if why := self._refusal(folder, name, entry, siblings):
                    self._skip(path, why)
                else:
                    yield path[self.skipped :], entry

    def _enter(self, folder: _Folder, name: str, siblings: Collection[str]) -> Iterator[tuple[str, E]]:
        path = f"{folder.path}{name}/"
        if why := self._refusal_of_folder(folder, path, name, siblings):
            self._skip(path, why)
        elif folder.depth >= MAX_DEPTH:
            self.report.failed[self._locator(path)] = f"more than {MAX_DEPTH} folders deep"
        else:
            is_ignored = folder.is_ignored or folder.rules(path) is not None
            is_secret = folder.is_secret or looks_secret(name)
            yield from self.below(_Folder(path, folder.rules, folder.depth + 1, is_ignored, is_secret))

    def _with_ignore_files(self, folder: _Folder, listing: Listing[E]) -> _Folder:
        """Return the folder with the rules of its own ignore files."""
        names = [name for name in self.tree.ignore_files if name != GIT_FILE or not folder.is_ignored]
        if folders := [name for name in names if name in listing.folders]:
            raise SourceUnavailable(f"{folder.path}{folders[0]} is a folder, not an ignore file; remove it")
        present = [name for name in names if name in listing.files or name in listing.others]
        return (
            replace(folder, rules=folder.rules.enter(folder.path, self.tree.read_ignore, present))
            if present
            else folder
        )

    def _ignored(self, folder: _Folder, path: str) -> IgnoredBy | None:
        by = IgnoredBy.GIT if folder.is_ignored else folder.rules(path)
        if by is IgnoredBy.GIT and self.tree.tracks(path):
            return folder.rules(path, is_tracked=True)
        return by

    def _refusal_of_folder(self, folder: _Folder, path: str, name: str, siblings: Collection[str]) -> str:
        if self.filter.excludes(path[self.skipped :]):
            return "excluded by code.exclude"
        return excluded_folder(name, siblings, at_top=not folder.depth)

    def _refusal(self, folder: _Folder, name: str, entry: E, siblings: Collection[str]) -> str:
        path = folder.path + name
        inside = path[self.skipped :]
        if self.filter.excludes(inside):
            return "excluded by code.exclude"
        if not self.filter.includes(inside):
            return "not in code.include"
        language = language_of_file(name, self.tree.read_head(path, entry) if is_without_extension(name) else b"")
        if why := excluded_file(name, language, siblings, in_secrets=folder.is_secret):
            return why
        return "" if language or self.filter.names(inside) else "unknown type"

    def _skip(self, path: str, why: str) -> None:
        self.report.skipped[self._locator(path)] = why

    def _locator(self, path: str) -> str:
        return locator_of(path[self.skipped :])
