"""Project, checked-out branch and index for the folder in which an agent works."""

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from searchsocket.errors import ConfigMissing
from searchsocket.project.project import Project, open_project
from searchsocket.project.scopes import git_branch
from searchsocket.project.settings.load import config_table
from searchsocket.project.settings.model import StateSettings
from searchsocket.system.git import ask_git


@dataclass(frozen=True)
class Worktree:
    """A project in one checkout of its repository."""

    root: Path
    environ: Mapping[str, str]

    @property
    def branch(self) -> str:
        """Branch that is checked out now; "" outside of a repository, and with a detached HEAD."""
        try:
            return git_branch(self.root)
        except ConfigMissing:
            return ""

    @cached_property
    def project(self) -> Project:
        """Project in this checkout."""
        return open_project(self.root, self.environ)

    @cached_property
    def main_checkout(self) -> Project | None:
        """Project in the main checkout of the repository; None if this is the main checkout.

        Each checkout has its own state folder, and the scopes of branches may be indexed in that of the main checkout.
        """
        top, common = _git_paths(self.root)
        if top is None or common is None or common.name != ".git" or common.parent == top:
            return None
        folder = common.parent / self.root.relative_to(top)
        return open_project(folder, self.environ) if folder.is_dir() else None


def project_around(folder: Path) -> Path:
    """Return the nearest folder, from this one up, that configures or indexes a project; else the repository's top."""
    folder = folder.resolve()
    top, _ = _git_paths(folder)
    for candidate in (folder, *folder.parents):
        if _is_configured(candidate):
            return candidate
        if candidate == top:
            break
    return top or folder


def is_project(folder: Path) -> bool:
    """Return True if a folder configures or indexes a project, or is the top of a repository."""
    return _is_configured(folder) or _git_paths(folder)[0] == folder


def _is_configured(folder: Path) -> bool:
    return config_table(folder)[0] is not None or (folder / StateSettings().dir).is_dir()


def _git_paths(folder: Path) -> tuple[Path | None, Path | None]:
    """Return the top of the checkout, and the Git folder that all checkouts share; None outside of a repository."""
    try:
        answer = ask_git(folder, "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir")
    except (OSError, subprocess.SubprocessError):
        return None, None
    lines = answer.splitlines()
    return (Path(lines[0]).resolve(), Path(lines[1]).resolve()) if len(lines) == 2 else (None, None)
