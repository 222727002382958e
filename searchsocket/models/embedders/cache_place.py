"""The place of the embedding cache on this machine. By default, all projects and clones of a user share one."""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import platformdirs

from searchsocket.errors import StateUnavailable
from searchsocket.models.embedders.cache import EmbeddingCache

VARIABLE = "SEARCHSOCKET_CACHE"
FILE = "embeddings.db"


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
