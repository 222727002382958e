"""A repository of Markdown pages with branches, and clones of it that index."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

from bench.installation.balancer import COMMAND
from bench.week.provider import MODEL

PAGES = 40
BRANCHES = tuple(f"feature/{name}" for name in ("anchor", "ballast", "capstan", "derrick", "ensign"))
SETTINGS = """[project]
id = "harbour"
[scope]
mode = "git"
[source]
mode = "git-branch"
[api]
scopes = ["main"]
[embeddings]
provider = "openai"
model = "{model}"
dimensions = 256
base_url = "{address}"
api_key_env = ""
"""
_GIT = ("-c", "user.name=bench", "-c", "user.email=bench@example.com")


def word_of(branch: str) -> str:
    """A word that only this branch has."""
    return f"zz{branch.rpartition('/')[2]}"


def make_origin(folder: Path, address: str) -> Path:
    """A repository with `main` and five branches, each with a page of its own."""
    work = folder.with_name("work")
    (work / "docs").mkdir(parents=True)
    for number in range(PAGES):
        text = f"# Harbour page {number}\n\nThe harbour master of quay {number} keeps the log of tide {number}.\n"
        (work / f"docs/page-{number}.md").write_text(text)
    (work / "searchsocket.toml").write_text(SETTINGS.format(model=MODEL, address=address))
    (work / ".gitignore").write_text(".searchsocket/\ncache/\n")
    git(work, "init", "-q", "-b", "main")
    commit(work, "Write the pages")
    for branch in BRANCHES:
        git(work, "checkout", "-q", "-b", branch, "main")
        (work / "docs/page-0.md").write_text(f"# Harbour page 0\n\nThe harbour and the quay of {word_of(branch)}.\n")
        commit(work, f"Write about {branch}")
    git(work, "checkout", "-q", "main")
    git(folder.parent, "clone", "-q", "--bare", str(work), str(folder))
    return folder


class Clone:
    """A clone with a disk of its own that indexes."""

    def __init__(self, origin: Path, folder: Path, environ: Mapping[str, str]) -> None:
        self._folder = folder
        self._environ = dict(environ)
        git(origin.parent, "clone", "-q", str(origin), str(folder))
        for branch in BRANCHES:
            git(folder, "branch", "-q", "--track", branch, f"origin/{branch}")

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        """A command that is not waited for."""
        output = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen([COMMAND, *arguments], cwd=self._folder, env=self._environ, text=True, **output)

    def run(self, *arguments: str) -> str:
        """Return the output of a command, which must succeed."""
        process = self.start(*arguments)
        output, errors = process.communicate(timeout=600)
        if process.returncode:
            raise RuntimeError(f"searchsocket {' '.join(arguments)}: {errors}{output}")
        return output

    def index(self, branch: str) -> None:
        """Fetch, and index one branch."""
        git(self._folder, "pull", "-q", "--ff-only")
        self.run("index", "--scope", branch, "--quiet")

    def edit(self, branch: str, word: str) -> None:
        """Push a commit that changes one page."""
        git(self._folder, "pull", "-q", "--ff-only")
        page = self._folder / "docs/page-1.md"
        page.write_text(f"{page.read_text()}\nThe harbour was {word} by {self._folder.name}.\n")
        commit(self._folder, "Edit a page")
        git(self._folder, "push", "-q", "origin", branch)

    def scope_of(self, branch: str) -> str:
        """The scope's name of a branch."""
        return self.run("scopes", "--name-of", branch).strip()

    def scopes(self) -> list[str]:
        """The scopes of the branches."""
        return [self.scope_of(branch) for branch in BRANCHES]

    def doctor(self) -> list[str]:
        """Failed checks of the index."""
        process = self.start("doctor", "--json")
        checks = json.loads(process.communicate(timeout=300)[0])["checks"]
        return [f"{check['name']}: {check['detail']}" for check in checks if not check["ok"]]


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *_GIT, *arguments], cwd=folder, check=True, capture_output=True)


def commit(folder: Path, message: str) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)
