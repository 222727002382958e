"""The site of the week: a bare remote, a colleague's clone where branches are edited, and the project that indexes."""

import os
import shutil
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path

from bench.week.dagster_ui import COMMAND

PAGES = "site"  # folder of the repository that a build copies
_WHO = {
    "GIT_AUTHOR_NAME": "ann", "GIT_AUTHOR_EMAIL": "ann@example.com",
    "GIT_COMMITTER_NAME": "ann", "GIT_COMMITTER_EMAIL": "ann@example.com",
    "GIT_CONFIG_GLOBAL": os.devnull,
}  # fmt: skip


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], check=True, capture_output=True, text=True, env=os.environ | _WHO
    )
    return done.stdout.strip()


class Site:
    """Paths: `remote` is bare, `desk` is where colleagues work, `root` is the project."""

    def __init__(self, work: Path, archive: Path, files: dict[str, str]) -> None:
        """
        Args:
            archive: A packed folder of HTML.
            files: Of the project, beside the pages: its settings and golden queries.
        """
        self.remote, self.desk, self.root = work / "remote.git", work / "desk", work / "docs"
        git(work, "init", "-q", "--bare", "-b", "main", str(self.remote))
        git(work, "clone", "-q", str(self.remote), str(self.desk))
        git(self.desk, "checkout", "-q", "-b", "main")
        _unpack(archive, self.desk / PAGES)
        for name, text in files.items():
            (self.desk / name).write_text(text, encoding="utf-8")
        self.push("main", "the site as it is")
        git(work, "clone", "-q", str(self.remote), str(self.root))

    def push(self, branch: str, message: str) -> None:
        """Commit the working tree, and push it as `branch`."""
        git(self.desk, "add", "-A")
        git(self.desk, "commit", "-q", "--allow-empty", "-m", message)
        git(self.desk, "push", "-q", "origin", f"HEAD:refs/heads/{branch}")

    def edit(self, branch: str, change: Callable[[Path], object], *, base: str = "main") -> None:
        """Change the pages on a branch, which begins at `base` where it is new, and push it."""
        git(self.desk, "fetch", "-q", "--prune")
        is_there = branch in git(self.desk, "for-each-ref", "--format=%(refname:lstrip=3)", "refs/remotes").split()
        git(self.desk, "checkout", "-q", "--detach", f"origin/{branch if is_there else base}")
        change(self.desk / PAGES)
        self.push(branch, f"edit {branch}")

    def merge(self, branch: str) -> None:
        """Merge a branch into main, and delete it, as a pull request's button does."""
        git(self.desk, "fetch", "-q", "--prune")
        git(self.desk, "checkout", "-q", "--detach", "origin/main")
        git(self.desk, "merge", "-q", "--no-ff", "-m", f"Merge {branch}", f"origin/{branch}")
        git(self.desk, "push", "-q", "origin", "HEAD:refs/heads/main", f":refs/heads/{branch}")

    def delete(self, branch: str) -> None:
        git(self.desk, "push", "-q", "origin", f":refs/heads/{branch}")

    def scope_of(self, branch: str) -> str:
        """Return the scope of a branch, from the command that a build step runs."""
        command = [*COMMAND, "scopes", "--name-of", branch, "--project", str(self.root)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def pull(self) -> None:
        git(self.root, "fetch", "-q", "--prune")
        git(self.root, "merge", "-q", "--ff-only", "origin/main")

    def build(self, branch: str) -> str:
        """Build a branch into the folder of its scope, as a CI job does; the scope."""
        self.pull()
        scope = self.scope_of(branch)
        folder, fresh = self.root / "builds" / scope, self.root / "builds" / f".{scope}"
        fresh.mkdir(parents=True)
        packed = subprocess.run(
            ["git", "-C", str(self.root), "archive", f"origin/{branch}", PAGES], check=True, capture_output=True
        )
        subprocess.run(["tar", "-x", "-C", str(fresh), "--strip-components=1"], input=packed.stdout, check=True)
        shutil.rmtree(folder, ignore_errors=True)
        fresh.rename(folder)
        return scope


def _unpack(archive: Path, folder: Path) -> None:
    with tarfile.open(archive) as packed:
        for member in packed.getmembers():
            head, _, name = member.name.partition("/build/")
            if head and member.isfile() and name.endswith(".html") and (file := packed.extractfile(member)):
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(file.read())
