"""Source files of a project: of a folder on this machine, or of a commit without a checkout.

A file is read safely even if folders change at the same time: each part of its path is opened by descriptor.
"""

import os
import stat
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

from searchsocket.content.pages import RawPage
from searchsocket.errors import ConfigMissing, SourceUnavailable
from searchsocket.extensions.code.parsing.reading import USUAL_READING, SourceReading
from searchsocket.extensions.code.parsing.selection import GIT_FILE, OWN_FILE, GlobFilter, Ignored, glob_filter
from searchsocket.extensions.code.settings import CodeSettings
from searchsocket.extensions.code.sources.walk import (
    HEAD_BYTES,
    MAX_IGNORE_BYTES,
    GitExcludes,
    Listing,
    Tree,
    source_files,
)
from searchsocket.project.location import is_no_project
from searchsocket.project.settings.model import Settings
from searchsocket.project.settings.source_kinds import CODE_FILES, CODE_OF_COMMIT, source_kind
from searchsocket.sources.base import SourceOrigin, SourceReport
from searchsocket.sources.files import open_inside, read_inside, stamp_of
from searchsocket.sources.git_objects import LINK, SUBMODULE, CommitFiles, TreeEntry
from searchsocket.system.locators import locator_of, path_of


class WorkingTreeSource:
    """The source files of a project on disk; links are neither followed nor read."""

    kind = CODE_FILES

    def __init__(
        self,
        root: Path,
        filter_: GlobFilter,
        *,
        max_file_bytes: int,
        reading: SourceReading = USUAL_READING,
        now_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        """
        Args:
            root: The project folder, inside a repository or not.
            filter_: See `selection.glob_filter`.
            max_file_bytes: Larger files are left out.
            reading: Reads notebooks, and code with a name that looks secret.
            now_ns: The clock that the files' times are compared with.
        """
        self.origin = SourceOrigin(self.kind.mode, folder=".")
        self._root = os.path.realpath(root)
        self._top = _repository_top(self._root)
        self._filter = filter_
        self._max_bytes = max_file_bytes
        self._reading = reading
        self._now_ns = now_ns
        self.report = SourceReport()
        # Absolute paths that the last iteration read: nothing else affects the result.
        self.folders: list[str] = []
        self.files: list[str] = []
        self._links: Counter[tuple[int, int]] | None = None

    def pages(self) -> Iterator[RawPage]:
        """Yield every source file, in the order of path parts; only ignore files are read.

        Raises:
            SourceUnavailable: The folder or an ignore file cannot be read.
        """
        self.report = report = SourceReport()
        self.folders, self.files, self._links = [], [], None
        now = self._now_ns()
        prefix = "".join(f"{part}/" for part in Path(self._root).relative_to(self._top).parts)
        count = 0
        git = GitExcludes(self._top, prefix) if os.path.lexists(os.path.join(self._top, ".git")) else None
        rules = Ignored.outside(git.excludes, ignores_case=git.ignores_case) if git else Ignored()
        tree = Tree(self._list, self._read_ignore, self._read_head, git.tracks if git else lambda _: False)
        for path, entry in source_files(tree, prefix, self._filter, rules, report):
            locator = locator_of(path)
            self.files.append(entry.path)
            try:
                info = entry.stat(follow_symlinks=False)
            except OSError as error:
                report.failed[locator] = f"cannot be read: {error.strerror or error}"
                continue
            if info.st_size > self._max_bytes:
                report.skipped[locator] = f"larger than code.max_file_bytes ({self._max_bytes:,})"
                continue
            if info.st_nlink > 1 and self._links_in_tree().get((info.st_dev, info.st_ino), 0) < info.st_nlink:
                report.skipped[locator] = "a hard link that points out of the project"
                continue
            count += 1
            yield RawPage(f"/{locator}", f"/{locator}", locator, stamp_of(info, now), "code")
        if git:
            self.files += git.files
            report.warnings += git.warnings
        report.complete = count > 0 and not report.failed

    def read(self, page: RawPage) -> bytes:
        """Read the current bytes of a file, see `SourceReading`.

        Raises:
            SourceUnavailable: It cannot be read: gone, too large, outside of the project.
        """
        return self._reading(path_of(page.locator), read_inside(self._root, page.locator, self._max_bytes))

    def modified(self, locator: str) -> float | None:
        """Return None: source code has no mirror files."""
        return None

    def _links_in_tree(self) -> Counter[tuple[int, int]]:
        """Count the names of each hard-linked file below the top, dependencies included.

        A package manager links source files into `node_modules`, which is safe. A file with a name outside the tree
        may belong to somebody else, like the target of a symbolic link that leads out.
        """
        if self._links is None:
            self._links = Counter(
                (info.st_dev, info.st_ino)
                for folder, _, names in os.walk(self._top)
                for name in names
                if (info := _hard_link(os.path.join(folder, name)))
            )
        return self._links

    def _list(self, folder: str) -> Listing[os.DirEntry[str]]:
        folders, files, others = [], {}, {}
        self.folders.append(os.path.join(self._top, folder))
        try:
            with os.scandir(self.folders[-1]) as entries:
                for entry in entries:
                    if entry.is_symlink():
                        others[entry.name] = "a link"
                    elif entry.is_dir(follow_symlinks=False):
                        folders.append(entry.name)
                    elif entry.is_file(follow_symlinks=False):
                        files[entry.name] = entry
                    else:
                        others[entry.name] = "not a regular file"
        except OSError as error:
            if os.path.join(self._top, folder).rstrip(os.sep) == self._root.rstrip(os.sep):
                raise SourceUnavailable(f"{self._root} cannot be read: {error.strerror or error}") from error
            self.report.failed[locator_of(folder)] = f"cannot be read: {error.strerror or error}"
        return Listing(folders, files, others)

    def _read_ignore(self, path: str) -> bytes | None:
        file = Path(self._top, path)
        self.files.append(os.fspath(file))
        if file.is_symlink():
            if file.name != GIT_FILE:
                raise SourceUnavailable(f"{file} is a link; replace it by a file, since links are not followed")
            self.report.warnings.append(f"{path} is a link, which git does not read, so it leaves nothing out")
            return None
        if file.is_dir():
            raise SourceUnavailable(f"{file} is a folder, not an ignore file; remove it")
        return read_inside(self._top, locator_of(path), MAX_IGNORE_BYTES) if os.path.lexists(file) else None

    def _read_head(self, path: str, entry: os.DirEntry[str]) -> bytes:
        self.files.append(entry.path)
        try:
            with open_inside(self._top, locator_of(path)) as file:
                return file.read(HEAD_BYTES)
        except SourceUnavailable:
            return b""


def _hard_link(path: str) -> os.stat_result | None:
    """The status of a file with several hard links; None for any other, and for a deleted one."""
    try:
        info = os.lstat(path)
    except OSError:
        return None
    return info if info.st_nlink > 1 else None


def _repository_top(root: str) -> str:
    """The nearest folder with a repository; the project itself if there is none."""
    return next((str(parent) for parent in (Path(root), *Path(root).parents) if (parent / ".git").exists()), root)


class CommitSource(CommitFiles):
    """The source files of one commit, all of which git tracks: only its files `.searchsocketignore` leave some out."""

    kind = CODE_OF_COMMIT

    def __init__(
        self,
        repo: Path,
        revision: str,
        filter_: GlobFilter,
        *,
        max_file_bytes: int,
        reading: SourceReading = USUAL_READING,
    ) -> None:
        """
        Args:
            repo: A folder of the repository: the project.
            revision: Branch, tag, scope name or commit id.
            filter_: See `selection.glob_filter`.
            max_file_bytes: Larger files are left out.
            reading: Reads notebooks, and code with a name that looks secret.
        """
        super().__init__(repo, revision, max_file_bytes)
        self._filter = filter_
        self._reading = reading

    def pages(self) -> Iterator[RawPage]:
        """Yield every source file of the commit, in the order of path parts.

        Raises:
            InvalidScope: The revision is not a valid branch name.
            SourceUnavailable: There is no such commit, or git cannot list it.
        """
        self.report = report = SourceReport()
        entries = {entry.path: entry for entry in self._repository.files(self.commit(), "")}
        folders = _folders(entries)
        count = 0
        tree = Tree(
            lambda folder: folders.get(folder, Listing()),
            lambda path: self._ignore_file(entries.get(path)),
            self._read_head,
            lambda _: True,
            ignore_files=(OWN_FILE,),
        )
        files = source_files(tree, self._repository.prefix(), self._filter, Ignored(), report)
        for path, entry in files:
            locator = locator_of(path)
            if entry.size > self._max_file_bytes:
                report.skipped[locator] = f"larger than code.max_file_bytes ({self._max_file_bytes:,})"
                continue
            count += 1
            yield RawPage(f"/{locator}", f"/{locator}", locator, entry.blob, "code")
        report.complete = count > 0 and not report.failed

    def read(self, page: RawPage) -> bytes:
        """Read the bytes of a file when it was listed, see `SourceReading`; raises as `CommitFiles.read`."""
        return self._reading(path_of(page.locator), super().read(page))

    def _ignore_file(self, entry: TreeEntry | None) -> bytes | None:
        if entry is None:
            return None
        if entry.mode in (LINK, SUBMODULE):
            raise SourceUnavailable(f"{entry.path!a} is not a file but a link or submodule; replace it by a file")
        return self._blobs.read(entry.blob, MAX_IGNORE_BYTES)

    def _read_head(self, path: str, entry: TreeEntry) -> bytes:
        return self._blobs.read(entry.blob, self._max_file_bytes) if entry.size <= self._max_file_bytes else b""


def _folders(entries: dict[str, TreeEntry]) -> dict[str, Listing[TreeEntry]]:
    """The entries of each folder, by its path."""
    below: defaultdict[str, set[str]] = defaultdict(set)
    files: defaultdict[str, dict[str, TreeEntry]] = defaultdict(dict)
    others: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for path, entry in entries.items():
        *parents, name = path.split("/")
        folder = ""
        for parent in parents:
            below[folder].add(parent)
            folder += f"{parent}/"
        if entry.mode in (LINK, SUBMODULE):
            others[folder][name] = "a link" if entry.mode == LINK else "a submodule"
        else:
            files[folder][name] = entry
    return {
        folder: Listing(sorted(below[folder]), files[folder], others[folder]) for folder in {*below, *files, *others}
    }


def make_code_source(
    root: Path, settings: Settings, mode: str | None = None, branch: str = ""
) -> WorkingTreeSource | CommitSource:
    """The source files of a project: of the commit if its pages come from one, otherwise of the working tree.

    Args:
        mode: Overrides `source.mode`.
        branch: Branch or scope to read, unless `source.git.branch` is set.

    Raises:
        ConfigError: A glob of `code.include` or `code.exclude` cannot be read.
        ConfigMissing: The folder is a home folder or the root of a disk, and has no settings.
    """
    if is_no_project(root):
        raise ConfigMissing(
            f"{root} is not a project: change to the project's folder or name it with --project; "
            "`searchsocket code init` makes a project of this folder"
        )
    code, git = settings.section(CodeSettings), settings.source.git
    reading = reading_of(settings)
    chosen = glob_filter(code.include, code.exclude)
    if source_kind(mode or settings.source.mode).reads_commit:
        revision = git.branch or branch or "HEAD"
        return CommitSource(root / git.repo_dir, revision, chosen, max_file_bytes=code.max_file_bytes, reading=reading)
    return WorkingTreeSource(root, chosen, max_file_bytes=code.max_file_bytes, reading=reading)


def reading_of(settings: Settings) -> SourceReading:
    """The reading of a project's source files, with its settings."""
    return SourceReading(settings.redaction.names, settings.redaction.keep)


def read_beneath(root: str, path: str, max_bytes: int) -> bytes:
    """The bytes of a regular file. No link on the path is followed, so none can lead out after a check.

    Args:
        path: Relative to `root`, with slashes.

    Raises:
        SourceUnavailable: It is absolute, has `..` in it, leads through a link, is gone, unreadable or too large.
    """
    parts = path.split("/")
    if not path or any(part in ("", ".", "..") or "\0" in part or os.sep in part for part in parts):
        raise SourceUnavailable(f"{path[:200]!a} is not a path below the project")
    try:
        with ExitStack() as handles:
            folder = _open(handles, root, os.O_DIRECTORY, None)
            for part in parts[:-1]:
                folder = _open(handles, part, os.O_DIRECTORY | os.O_NOFOLLOW, folder)
            # A pipe in the place of a file must not block.
            file = _open(handles, parts[-1], os.O_NOFOLLOW | os.O_NONBLOCK, folder)
            if not stat.S_ISREG(os.fstat(file).st_mode):
                raise SourceUnavailable(f"{path[:200]!a} is not a regular file")
            data = _read(file, max_bytes + 1)
    except (OSError, ValueError) as error:
        raise SourceUnavailable(f"{path[:200]!a} cannot be read: {error}") from error
    if len(data) > max_bytes:
        raise SourceUnavailable(f"{path[:200]!a} is larger than {max_bytes:,} bytes")
    return data


def _open(handles: ExitStack, name: str, flags: int, folder: int | None) -> int:
    handle = os.open(name, os.O_RDONLY | os.O_CLOEXEC | flags, dir_fd=folder)
    handles.callback(os.close, handle)
    return handle


def _read(handle: int, size: int) -> bytes:
    chunks = []
    while size and (chunk := os.read(handle, min(size, 1 << 20))):
        chunks.append(chunk)
        size -= len(chunk)
    return b"".join(chunks)
