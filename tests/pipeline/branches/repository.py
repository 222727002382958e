"""Small git repositories of several branches."""

from collections.abc import Sequence
from pathlib import Path

from tests.sources.git_repository import commit, git


def make_origin(folder: Path, branches: Sequence[str]) -> Path:
    """A repository with these branches at one commit, the first one checked out."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", branches[0])
    add_file(folder, "first")
    for branch in branches[1:]:
        git(folder, "branch", "-q", branch)
    return folder


def add_file(repository: Path, name: str) -> None:
    """Commit a file of that name, with whatever else is there."""
    commit(repository, {name: name})
