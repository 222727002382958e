"""Small git repositories."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

_NOBODY = {f"GIT_{who}_{what}": "nobody@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


def git(folder: Path, *arguments: str) -> str:
    """What git writes."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | _NOBODY
    done = subprocess.run(["git", *arguments], cwd=folder, env=environment, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def commit(repository: Path, name: str) -> None:
    """Commit a file of that name."""
    (repository / name).write_text(name)
    git(repository, "add", name)
    git(repository, "commit", "-q", "-m", name)


def make_origin(folder: Path, branches: Sequence[str]) -> Path:
    """A repository with these branches at one commit, the first one checked out."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", branches[0])
    commit(folder, "first")
    for branch in branches[1:]:
        git(folder, "branch", "-q", branch)
    return folder
