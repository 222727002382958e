"""git runs no program that the configuration of a repository names, whichever command reads the repository."""

import os
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

from searchsocket.cli.main import cli
from searchsocket.pipeline.branches.listing import list_branches
from searchsocket.sources.git_objects import Repository
from tests.pipeline.branches.repository import make_origin
from tests.sources.git_repository import commit, git

PAGE = "<html><head><title>Tea</title></head><body><main><h1>Tea</h1><p>Green tea is steeped.</p></main></body></html>"
CONFIG = """
[project]
id = "tea"
[source]
mode = "static-output"
static_output_dir = "build"
[scope]
mode = "git"
[branches]
remote = "origin"
[code]
enable = true
"""


class Trap:
    """A repository whose configuration names a program that leaves a mark."""

    def __init__(self, folder: Path) -> None:
        self.origin = make_origin(folder / "origin", ["main", "feature"])
        git(folder, "clone", "-q", str(self.origin), "clone")
        self.root = folder / "clone"
        self.mark = folder / "ran"
        self.program = folder / "program"
        self.program.write_text(f"#!/bin/sh\necho $0 >> {self.mark}\nexit 1\n")
        self.program.chmod(0o755)
        files = {
            "build/tea.html": PAGE,
            "searchsocket.toml": CONFIG,
            ".gitignore": ".searchsocket\n",
            "a.py": "A = 1\n",
        }
        commit(self.root, files)

    def set(self, key: str, value: str = "") -> None:
        git(self.root, "config", key, value or str(self.program))

    def attribute(self, line: str) -> None:
        commit(self.root, {".gitattributes": f"{line}\n"})

    def touch(self) -> None:
        """Make git compare the content of every file: the times differ, the sizes do not."""
        for path in (self.root / "build" / "tea.html", self.root / "a.py"):
            later = time.time() + 5
            os.utime(path, (later, later))

    def hooks(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        for name in ("post-index-change", "pre-commit", "post-checkout", "reference-transaction", "fsmonitor-watchman"):
            (folder / name).unlink(missing_ok=True)
            (folder / name).symlink_to(self.program)

    def submodule(self) -> None:
        inner = make_origin(self.root / "inner", ["main"])
        git(inner, "config", "core.fsmonitor", str(self.program))
        git(self.root, "-c", "advice.addEmbeddedRepo=false", "add", "inner")
        git(self.root, "commit", "-q", "-m", "inner")
        later = time.time() + 5
        os.utime(inner / "first", (later, later))


def hooks_elsewhere(trap: Trap) -> None:
    trap.hooks(trap.root.parent / "hooks")
    trap.set("core.hooksPath", str(trap.root.parent / "hooks"))


def clean_filter(trap: Trap, name: str = "evil") -> None:
    trap.attribute(f"* filter={name}")
    trap.set(f"filter.{name}.clean")
    trap.set(f"filter.{name}.smudge")
    trap.set(f"filter.{name}.required", "true")


def process_filter(trap: Trap) -> None:
    trap.attribute("* filter=evil")
    trap.set("filter.evil.process")


def textconv(trap: Trap) -> None:
    trap.attribute("* diff=evil")
    trap.set("diff.evil.textconv")
    trap.set("diff.evil.command")


def ssh(trap: Trap) -> None:
    trap.set("core.sshCommand")
    trap.set("remote.origin.url", "ssh://127.0.0.1:1/nowhere")


def passwords(trap: Trap) -> None:
    trap.set("credential.helper", f"!{trap.program}")
    trap.set("core.askPass")
    trap.set("remote.origin.url", "http://127.0.0.1:1/nowhere")


def pagers(trap: Trap) -> None:
    for name in ("core.pager", "pager.status", "pager.config", "core.editor", "sequence.editor", "gpg.program"):
        trap.set(name)


def aliases(trap: Trap) -> None:
    for name in ("status", "config", "rev-parse", "for-each-ref", "ls-remote", "ls-tree", "describe", "symbolic-ref"):
        trap.set(f"alias.{name}", f"!{trap.program}")


TRAPS: dict[str, Callable[[Trap], None]] = {
    "hooks": lambda trap: trap.hooks(trap.root / ".git" / "hooks"),
    "hooks elsewhere": hooks_elsewhere,
    "filter": clean_filter,
    "filter with an odd name": lambda trap: clean_filter(trap, "a=b.c"),
    "process filter": process_filter,
    "file monitor": lambda trap: trap.set("core.fsmonitor"),
    "diff": lambda trap: trap.set("diff.external"),
    "textconv": textconv,
    "upload-pack": lambda trap: trap.set("remote.origin.uploadpack"),
    "ssh": ssh,
    "passwords": passwords,
    "address that is a command": lambda trap: trap.set("remote.origin.url", f"ext::{trap.program}"),
    "pagers": pagers,
    "aliases": aliases,
    "submodule": Trap.submodule,
}


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    return Trap(tmp_path)


# Traps that are tried together: one that sets an attribute, one that sets an address, and those that go with any. Those
# that commit come first, since a hook would stop the commit.
TOGETHER = [
    ["filter", "hooks", "file monitor", "diff", "pagers", "aliases", "upload-pack"],
    ["process filter", "hooks elsewhere", "ssh"],
    ["filter with an odd name", "passwords"],
    ["textconv", "submodule", "address that is a command"],
]


def test_every_trap_is_tried() -> None:
    assert sorted(kind for kinds in TOGETHER for kind in kinds) == sorted(TRAPS)


@pytest.mark.parametrize("kinds", TOGETHER, ids=", ".join)
def test_no_program_of_a_repository_runs(trap: Trap, kinds: list[str]) -> None:
    for kind in kinds:
        TRAPS[kind](trap)
    trap.mark.unlink(missing_ok=True)  # git itself ran some while the trap was set
    for command in (["index", "--force"], ["status"], ["code", "sync"], ["prune"]):
        trap.touch()
        result = CliRunner().invoke(cli, [*command, "--project", str(trap.root)])
        assert result.exit_code == 0 or (command[0] == "prune" and "BRANCHES" in result.output), result.output
        assert not trap.mark.exists(), f"{command}: {trap.mark.read_text()}"


@pytest.mark.parametrize("kind", ["hooks", "filter", "process filter", "file monitor", "submodule"])
def test_git_itself_runs_them(trap: Trap, kind: str) -> None:
    """Otherwise the traps above would catch nothing."""
    TRAPS[kind](trap)
    trap.mark.unlink(missing_ok=True)
    trap.touch()
    with suppress(subprocess.CalledProcessError):
        git(trap.root, "describe", "--always", "--dirty")
    assert trap.mark.exists()


def test_a_checkout_is_dirty_by_content_and_not_by_time(trap: Trap) -> None:
    repository = Repository(trap.root)
    clean = git(trap.root, "rev-parse", "HEAD")
    clean_filter(trap)
    clean = git(trap.root, "rev-parse", "HEAD")
    trap.touch()
    assert repository.checked_out() == clean
    (trap.root / "a.py").write_text("A = 2\n")
    assert repository.checked_out() == f"{clean}-dirty"


@pytest.mark.parametrize("remote", ["origin", "../origin", "."])
def test_a_remote_is_listed_by_name_and_by_path(trap: Trap, remote: str) -> None:
    assert "main" in list_branches(trap.root, remote, 30.0).commits
    trap.set("remote.origin.url", "../origin")
    (trap.root / "build").mkdir(exist_ok=True)
    assert "main" in list_branches(trap.root / "build", remote, 30.0).commits
