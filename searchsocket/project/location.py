"""Find the folder of a project from a folder inside it, without the imports that reading its settings needs."""

from pathlib import Path

STATE_DIR = ".searchsocket"  # the default of `state.dir`


def is_configured(folder: Path) -> bool:
    """Return True if a folder configures a project or contains its state."""
    if (folder / "searchsocket.toml").is_file() or (folder / STATE_DIR).is_dir():
        return True
    try:
        shared = (folder / "pyproject.toml").read_bytes()
    except OSError:
        return False
    return b"searchsocket" in shared and _has_table(shared)


def project_here(folder: Path) -> Path:
    """Return the nearest configured folder of the same repository, from this one up; else this one.

    Outside of a repository, the folders above do not count: they may belong to somebody else.
    """
    nearest = None
    for candidate in (folder, *folder.parents):
        nearest = nearest or (candidate if is_configured(candidate) else None)
        if nearest == folder or (candidate / ".git").exists():
            return nearest or folder
    return folder


def _has_table(toml: bytes) -> bool:
    import tomllib

    try:
        return "searchsocket" in tomllib.loads(toml.decode())["tool"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return False
