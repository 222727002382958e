"""Path of a run's embedding cache: by default the user's cache, shared by all projects and clones."""

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
    """The file in the `cache_folder`; nothing is made."""
    return cache_folder(environ, root, state_dir) / FILE


def cache_folder(environ: Mapping[str, str], root: Path, state_dir: Path) -> Path:
    """The folder of the user's caches; nothing is made.

    Args:
        environ: `SEARCHSOCKET_CACHE` names a folder, relative to the project; else there is a user's home, else none.
        root: The project.
        state_dir: Where the cache lies for nobody in particular: no home, or one that cannot be written.
    """
    stated = environ.get(VARIABLE, "").strip()
    if stated:
        return root / Path(stated).expanduser()
    folder = platformdirs.user_cache_path("searchsocket") if environ.get("HOME") or os.name == "nt" else state_dir
    there = folder
    while not os.access(there, os.F_OK):  # `exists` raises in a folder that may not be read
        there = there.parent
    return folder if there.is_dir() and os.access(there, os.W_OK) else state_dir


def open_cache(path: Path, *, read_only: bool = False) -> EmbeddingCache:
    """The cache; a folder that is made for it is for its owner alone.

    Raises:
        StateUnavailable: It cannot be opened.
    """
    if not read_only:
        with suppress(OSError):  # whoever opens the file says so
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return EmbeddingCache(path, read_only=read_only)


def adopt(old: Path, cache: EmbeddingCache) -> str:
    """Move what an older version kept in the state folder into the cache that is used now.

    Returns:
        What happened, for the run's report; "" when there was nothing.
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
