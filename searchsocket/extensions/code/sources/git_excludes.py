"""Ask git for its rules besides the ignore files of a tree: its exclude files, and the files that it tracks.

git reads its configuration and its index here. It starts no program that a repository names (see `system.git`).
"""

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from searchsocket.errors import ConfigMissing, SourceUnavailable
from searchsocket.sources.git_objects import Repository

MAX_IGNORE_BYTES = 1_000_000
_SYSTEM_CONFIG = "/etc/gitconfig"


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
