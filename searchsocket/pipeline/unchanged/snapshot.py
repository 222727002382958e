"""A snapshot of the inputs of a run, to detect changes: files, folders, the environment, and the code.

Imports only the standard library, since it runs before anything else is loaded.

Imports only the standard library, since it runs before anything else is loaded.
"""

import hashlib
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256

# The coarsest clock of a usual file system ticks every two seconds: a file that changed so shortly before the check may
# change again and have the same times.
TICK_NS = 2_000_000_000
# A time with a fraction of a millisecond is of a file system that stores such; there the system's clock ticks at least
# a hundred times a second.
_FINE_NS, _FINE_TICK_NS = 1_000_000, 50_000_000
_CHUNK = 1 << 20
_MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Paths:
    """Paths by the way they are compared. A missing path is part of the digest."""

    trees: tuple[str, ...] = ()  # files and folders with all below, by size, times and inode; recent files by bytes
    contents: tuple[str, ...] = ()  # small files, by their bytes
    listings: tuple[str, ...] = ()  # folders, by the names in them


@dataclass(frozen=True, slots=True)
class Snapshot:
    """State of some paths at one moment.

    Builds may set any modification time, and inodes are reused; but no tool sets the change time. A file whose change
    time cannot be trusted is compared by its bytes.
    """

    paths: Paths
    trusted_before_ns: int  # a file with an earlier change time cannot change without a new change time
    digest: str

    @classmethod
    def at(cls, paths: Paths, now_ns: int) -> "Snapshot":
        """Take a snapshot.

        Args:
            now_ns: The clock, before any file is checked.

        Raises:
            OSError: A file cannot be read, or was deleted during the snapshot.
        """
        trusted_before_ns = now_ns - TICK_NS
        (digest,) = _digests(paths, trusted_before_ns)
        return cls(paths, trusted_before_ns, digest)

    def renewed(self, now_ns: int) -> "Snapshot | None":
        """Return the snapshot as of now if nothing changed; None if something did.

        Both digests come from one pass over the files, so that no change is missed between them.

        Raises:
            OSError: A file cannot be read.
        """
        trusted_before_ns = now_ns - TICK_NS
        before, now = _digests(self.paths, self.trusted_before_ns, trusted_before_ns)
        return Snapshot(self.paths, trusted_before_ns, now) if before == self.digest else None


def _digests(paths: Paths, *trusted_before_ns: int) -> list[str]:
    """A digest for each time before which change times are trusted."""
    small = f"{bytes_of(paths.contents)} {_names_in(paths.listings)}\n".encode()
    digests = [hashlib.sha256(small) for _ in trusted_before_ns]
    for path in sorted(paths.trees):
        for name, info in _below(path):
            line = f"{name}\0{_stamp(info)}\n".encode("utf-8", "surrogateescape")
            for digest in digests:
                digest.update(line)
            if info is not None and stat.S_ISREG(info.st_mode):
                later_ns = TICK_NS - _FINE_TICK_NS if info.st_ctime_ns % _FINE_NS else 0
                young = [
                    digest
                    for digest, limit in zip(digests, trusted_before_ns, strict=True)
                    if info.st_ctime_ns >= limit + later_ns
                ]
                if young:
                    _add_bytes(name, young)
    return [digest.hexdigest() for digest in digests]


def file_clock_ns(folder: str, clock_ns: int) -> int:
    """Return the clock of the folder's disk if it is behind `clock_ns`: a remote disk has its own clock.

    Raises:
        OSError: Nothing can be written to the folder.
    """
    probe = os.path.join(folder, f".clock-{os.getpid()}")
    open(probe, "wb").close()
    try:
        return min(clock_ns, os.stat(probe).st_ctime_ns)
    finally:
        os.unlink(probe)


def bytes_of(paths: Iterable[str]) -> str:
    """A digest of the bytes of small files; a missing file is part of the digest.

    Raises:
        OSError: A file cannot be read.
    """
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(f"{path}\0".encode("utf-8", "surrogateescape"))
        try:
            with open(path, "rb") as file:
                digest.update(hashlib.sha256(file.read()).digest())
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            digest.update(_MISSING.encode())
    return digest.hexdigest()


def _names_in(folders: Iterable[str]) -> str:
    """A digest of the names in folders, and their kinds: file, folder or link.

    Raises:
        OSError: A folder cannot be listed.
    """
    lines = []
    for folder in sorted(folders):
        with os.scandir(folder) as entries:
            lines += sorted(
                f"{entry.name}\0{'l' if entry.is_symlink() else 'd' if entry.is_dir() else 'f'}" for entry in entries
            )
        lines.append(folder)
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def _stamp(info: os.stat_result | None) -> str:
    if info is None:
        return _MISSING
    kind = f"{info.st_mode}:{info.st_uid}:{info.st_ino}:{info.st_dev}"
    # The times of a folder change with every temporary file in it; its names are listed anyway.
    return kind if stat.S_ISDIR(info.st_mode) else f"{kind}:{info.st_size}:{info.st_mtime_ns}:{info.st_ctime_ns}"


def _below(path: str) -> Iterator[tuple[str, os.stat_result | None]]:
    """Yield a path and everything below it, in a fixed order; links are followed, each folder once."""
    pending, visited = [path], set[tuple[int, int]]()
    while pending:
        name = pending.pop()
        try:
            info = os.stat(name)
        except (FileNotFoundError, NotADirectoryError):
            yield name, None  # also for a broken link
            continue
        yield name, info
        if stat.S_ISDIR(info.st_mode) and (info.st_dev, info.st_ino) not in visited:
            visited.add((info.st_dev, info.st_ino))
            pending += sorted((f"{name}{os.sep}{entry}" for entry in os.listdir(name)), reverse=True)


def _add_bytes(name: str, digests: list["hashlib._Hash"]) -> None:
    with open(name, "rb") as file:
        while data := file.read(_CHUNK):
            for digest in digests:
                digest.update(data)


# Variables that a terminal, shell or login sets about itself. All others are included: a proxy, a home folder or a
# variable of another tool may affect a run.
_OF_TERMINALS = re.compile(
    r"_|PWD|OLDPWD|SHLVL|TERM|COLORTERM|COLUMNS|LINES|WINDOWID|DISPLAY|WAYLAND_DISPLAY|STY|PS[12]|LS_COLORS|LESS|PAGER"
    r"|EDITOR|VISUAL|NO_COLOR|FORCE_COLOR|CLICOLOR|HIST\w+|INVOCATION_ID|JOURNAL_STREAM|DBUS_SESSION_BUS_ADDRESS|MAIL"
    r"|LOGNAME|INIT_CWD|MFLAGS|PYTEST_CURRENT_TEST"
    r"|(?:SSH_|TMUX|TERM_|VTE_|KONSOLE_|ITERM_|XDG_SESSION_|GNOME_|VSCODE_|MAKE|npm_)\w*"
)
CONFIGURATION = ("searchsocket.toml", "pyproject.toml", "package.json")  # files with the settings of a project
_DEPTH = 4  # depth of this file below the folder with the packages
_CODE = ("searchsocket", "searchsocket_assets")
_STATE_DIR = ".searchsocket"
_VARIABLE = "SEARCHSOCKET__STATE__DIR"


def digest(environ: Mapping[str, str]) -> str:
    """Digest of the environment, user, interpreter, installed packages, and this project's code.

    Raises:
        OSError: The code cannot be listed.
    """
    fingerprint = sha256()
    for name in sorted(environ):
        if not _OF_TERMINALS.fullmatch(name):
            fingerprint.update(f"{name}={environ[name]}\0".encode("utf-8", "surrogateescape"))
    fingerprint.update(f"{sys.version} {sys.prefix} {os.geteuid() if hasattr(os, 'geteuid') else ''}\n".encode())
    root = os.path.abspath(__file__).rsplit(os.sep, _DEPTH)[0]  # a link to the file is not followed
    code = (line for package in _CODE for line in sorted(_files(os.path.join(root, package))))
    for line in (*_installed_packages(), *code):
        fingerprint.update(line.encode("utf-8", "surrogateescape"))
    return fingerprint.hexdigest()


def _installed_packages() -> Iterator[str]:
    """Folders of installed packages and their times; installing or removing a package changes the folder.

    Raises:
        OSError: A folder cannot be read.
    """
    for folder in sys.path:
        if folder.endswith("-packages") and os.path.isdir(folder):
            yield f"{folder} {os.stat(folder).st_mtime_ns}\n"


def _files(folder: str) -> Iterator[str]:
    pending = [folder]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.name == "__pycache__":
                    continue
                if entry.is_dir():
                    pending.append(entry.path)
                else:
                    info = entry.stat()
                    yield f"{entry.path} {info.st_size} {info.st_mtime_ns} {info.st_ino}\n"


def state_dir_of(root: str, environ: Mapping[str, str]) -> str:
    """The path of the state folder; with a wrong guess no record is found, and a run starts."""
    folder = environ.get(_VARIABLE, "")
    for name, keys in ((("pyproject.toml"), ("tool", "searchsocket", "state")), (("searchsocket.toml"), ("state",))):
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
            with open(os.path.join(root, name), "rb") as file:
                data = file.read()
            if b"state" in data:
                import tomllib  # takes as long as everything else

                values = tomllib.loads(data.decode("utf-8-sig"))
                for key in keys:
                    values = values[key]
                folder = folder or str(values["dir"])
    return os.path.join(root, folder or _STATE_DIR)
