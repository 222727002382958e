"""Find the folder of a project from a folder inside it, without the imports that reading its settings needs."""

import os
from pathlib import Path

STATE_DIR = ".searchsocket"  # the default of `state.dir`


def is_configured(folder: Path) -> bool:
    """Return True if a folder configures a project or contains its state."""
    return (folder / STATE_DIR).is_dir() or has_settings(folder)


def is_no_project(folder: Path) -> bool:
    """Return True for a home folder or the root of a disk without settings: agents and terminals start there."""
    home = Path(os.path.expanduser("~"))  # noqa: PTH111  unlike `Path`, no error without a home folder
    return folder in (Path(folder.anchor), home, home.resolve()) and not has_settings(folder)


def has_settings(folder: Path) -> bool:
    """Return True if a folder configures a project."""
    if (folder / "searchsocket.toml").is_file():
        return True
    try:
        shared = (folder / "pyproject.toml").read_bytes()
    except OSError:
        return False
    return b"searchsocket" in shared and _has_table(shared)


def current_folder() -> Path:
    """Return the current folder.

    Raises:
        ConfigMissing: It was deleted.
    """
    try:
        return Path.cwd()
    except FileNotFoundError:
        from searchsocket.errors import ConfigMissing

        raise ConfigMissing("the current folder was deleted; change to another one, or name a project") from None


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
        return "searchsocket" in tomllib.loads(toml.decode("utf-8-sig"))["tool"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return False
