"""The embedding caches of this machine: the file of a run's cache, and the projects that use it.

By default, all projects and clones of a user share one cache. One small file per project shows which embeddings are
unused. `homes/since` contains the size of the cache when the first home was recorded; the users of older embeddings are
unknown. Each home is `homes/DIGEST.json`, which is replaced atomically, at most once per day.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import platformdirs
from filelock import FileLock

from searchsocket.errors import StateUnavailable
from searchsocket.models.embedders.cache import EmbeddingCache
from searchsocket.system.errors import system_error
from searchsocket.system.files import is_temporary, make_private_folder, write_atomic

VARIABLE = "SEARCHSOCKET_CACHE"
FILE = "embeddings.db"
FOLDER = "homes"
MAX_HOMES = 1_000  # beyond it no home is recorded, so no embedding counts as unused
_SINCE = "since"
_HOMES_LOCK = ".lock"
_BUSY_TIMEOUT_S = 30.0
_OWNER_ONLY = 0o600
_HOME_KEYS = ("state", "index", "project", "seen")


def cache_file(environ: Mapping[str, str], root: Path, state_dir: Path) -> Path:
    """Return the file in the `cache_folder`; creates nothing."""
    return cache_folder(environ, root, state_dir) / FILE


def cache_folder(environ: Mapping[str, str], root: Path, state_dir: Path) -> Path:
    """Return the folder of the user's caches; creates nothing.

    Args:
        environ: `SEARCHSOCKET_CACHE` names a folder, relative to the project; else the user's cache folder is used.
        root: The project.
        state_dir: The folder if there is no home, or if the home is not writable.
    """
    stated = environ.get(VARIABLE, "").strip()
    if stated:
        return root / Path(stated).expanduser()
    folder = platformdirs.user_cache_path("searchsocket") if environ.get("HOME") or os.name == "nt" else state_dir
    parent = folder  # the nearest folder that exists
    while not os.access(parent, os.F_OK):  # `exists` raises in a folder that may not be read
        parent = parent.parent
    return folder if parent.is_dir() and os.access(parent, os.W_OK) else state_dir


def open_cache(path: Path, *, read_only: bool = False) -> EmbeddingCache:
    """Open the cache; only the owner may read a new folder.

    Raises:
        StateUnavailable: The cache cannot be opened.
    """
    if not read_only:
        with suppress(OSError):  # reported when the file is opened
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return EmbeddingCache(path, read_only=read_only)


def adopt(old: Path, cache: EmbeddingCache) -> str:
    """Move the cache of an older version from the state folder into the current cache.

    Returns:
        A message for the run's report; "" if there was no old cache.
    """
    if not old.is_file() or (cache.path.exists() and old.samefile(cache.path)):
        return ""
    try:
        added, refused = cache.import_from(old)
    except StateUnavailable as error:
        return f"{error}; it was not moved, and its texts are embedded again"
    for suffix in ("", "-wal", "-shm", ".lock"):
        Path(f"{old}{suffix}").unlink(missing_ok=True)
    message = f"{added} embeddings of {old} were moved to {cache.path}"
    return f"{message}; skipped {refused} damaged ones" if refused else message


@dataclass(frozen=True, slots=True)
class Home:
    """State folder of a project that uses the cache."""

    state: Path  # folder of `state.db`
    index: Path  # folder of the generations
    project: Path
    seen: str  # day on which the project last opened the cache, ISO 8601


class Homes:
    """The homes that are recorded next to a cache file; safe to use from many processes."""

    def __init__(self, cache: Path) -> None:
        self.folder = cache.with_name(FOLDER)

    def note(self, home: Home, filled: int) -> None:
        """Record a home before anything is embedded for it.

        Args:
            filled: The highest row of the cache; used for the first home only.

        Raises:
            StateUnavailable: The record cannot be written.
        """
        path = self._file(home.state)
        values = {"state": str(home.state), "index": str(home.index), "project": str(home.project), "seen": home.seen}
        data = json.dumps(values).encode()
        try:
            make_private_folder(self.folder)
            with FileLock(self.folder / _HOMES_LOCK, timeout=_BUSY_TIMEOUT_S, mode=_OWNER_ONLY):
                self._write(path, data, filled)
        except OSError as error:
            raise system_error("cannot record the project in", self.folder, error) from error

    def _write(self, path: Path, data: bytes, filled: int) -> None:
        for leftover in filter(is_temporary, self.folder.iterdir()):
            leftover.unlink()  # of a killed run, since a running one has the lock
        # First `since`: a project that is recorded later embeds later. A new cache file lowers it.
        since = self.since()
        if since is None or filled < since:
            write_atomic(self.folder / _SINCE, str(filled).encode("ascii"), mode=_OWNER_ONLY)
        try:
            is_new = path.read_bytes() != data
        except FileNotFoundError:
            is_new = len(self._files()) < MAX_HOMES
        if is_new:
            write_atomic(path, data, mode=_OWNER_ONLY)

    def since(self) -> int | None:
        """Return the last cache row that is older than the first record; None = no home was ever recorded.

        Raises:
            StateUnavailable: The file cannot be read.
        """
        path = self.folder / _SINCE
        try:
            return int(path.read_text(encoding="ascii"))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise system_error("cannot read", path, error) from error
        except ValueError as error:
            raise StateUnavailable(f"{path} contains no number; delete it") from error

    def all(self) -> list[Home]:
        """Return all homes, ordered by state folder.

        Raises:
            StateUnavailable: A record cannot be read.
        """
        return sorted(self._read(), key=lambda home: home.state)

    def forget(self, state: Path) -> None:
        """Delete the record of a home, if it exists."""
        self._file(state).unlink(missing_ok=True)

    def _read(self) -> Iterator[Home]:
        for path in self._files():
            try:
                values = json.loads(path.read_bytes())
                state, index, project, seen = (str(values[key]) for key in _HOME_KEYS)
            except OSError as error:
                raise system_error("cannot read", path, error) from error
            except (ValueError, TypeError, LookupError) as error:
                raise StateUnavailable(
                    f"{path} does not name the project that uses the cache; run `searchsocket index` in all of them, "
                    "then delete it"
                ) from error
            yield Home(Path(state), Path(index), Path(project), seen)

    def _files(self) -> list[Path]:
        return sorted(self.folder.glob("*.json"))

    def _file(self, state: Path) -> Path:
        return self.folder / f"{hashlib.sha256(os.fsencode(state)).hexdigest()[:32]}.json"
