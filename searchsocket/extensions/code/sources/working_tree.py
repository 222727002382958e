"""Source files of a folder on this machine."""

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from searchsocket.content.pages import RawPage
from searchsocket.errors import SourceUnavailable
from searchsocket.extensions.code.parsing.ignore import GIT_FILE, Ignored
from searchsocket.extensions.code.parsing.reading import USUAL_READING, SourceReading
from searchsocket.extensions.code.parsing.selection import GlobFilter
from searchsocket.extensions.code.sources.git_excludes import MAX_IGNORE_BYTES, GitExcludes
from searchsocket.extensions.code.sources.walk import HEAD_BYTES, Listing, Tree, source_files
from searchsocket.project.settings.source_kinds import CODE_FILES
from searchsocket.sources.base import SourceOrigin, SourceReport
from searchsocket.sources.files import open_inside, read_inside, stamp_of
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
