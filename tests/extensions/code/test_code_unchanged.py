"""A sync where nothing changed loads nothing, and looks again after any change that could matter."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from searchsocket.cli.main import cli
from searchsocket.extensions.code.pipeline import unchanged as kept
from searchsocket.extensions.code.serving.upkeep import open_upkeep
from searchsocket.pipeline.unchanged.record import RunRecord, unchanged_since
from tests.extensions.code.code_project import CodeProject
from tests.extensions.code.trees import grow
from tests.sources.git_repository import git


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CodeProject:
    """A project that was synced, and then found as it was."""
    monkeypatch.setattr(kept, "TICK_NS", 0)  # else nothing is written down of files as young as these
    code = CodeProject(tmp_path / "site")
    (code.root / "link.py").symlink_to(tmp_path / "elsewhere.py")
    settled(code)
    return code


def settled(code: CodeProject) -> None:
    upkeep = open_upkeep(code.project, os.environ)
    upkeep.sync("main", "run")
    upkeep.remember(upkeep.sync("main", "again"), None)
    assert record(code)


def record(code: CodeProject) -> RunRecord | None:
    return unchanged_since(str(code.root), None, os.environ, now_ns=1 << 62, checked_at="now", corpus="code")


def test_the_command_loads_nothing_and_says_the_same(code: CodeProject) -> None:
    arguments = ["code", "sync", "--project", str(code.root)]
    program = (
        "import sys; from searchsocket.cli.main import cli; cli(sys.argv[1:], standalone_mode=False)\n"
        "print(*(name for name in ('numpy', 'pydantic', 'dagster', 'tree_sitter', 'sqlite3') if name in sys.modules))"
    )
    result = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True)
    assert (
        result.stdout
        == "up to date: 6 files, 67 chunks\nnot searched: link.py (a link), node_modules/ (dependencies)\n\n"
    )
    full_output = CliRunner().invoke(cli, [*arguments, "--json"]).stdout
    (code.root / ".searchsocket/code/checks/configured.json").unlink()
    assert CliRunner().invoke(cli, [*arguments, "--json"]).stdout == full_output


def test_the_first_sync_after_an_index_loads_nothing_either(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And says what a sync that looks at every file says."""
    monkeypatch.setattr(kept, "TICK_NS", 0)
    code = CodeProject(tmp_path / "site")
    arguments = ["code", "sync", "--project", str(code.root), "--json"]
    CliRunner().invoke(cli, arguments)
    record_before = record(code)
    assert record_before
    (code.root / ".searchsocket/code/checks/configured.json").unlink()
    assert json.loads(CliRunner().invoke(cli, arguments).stdout) == record_before.summary
    (code.root / "src/auth/token.ts").write_text("export const only = 1;\n")
    CliRunner().invoke(cli, arguments)
    assert record(code) is None  # a small one ends without a look at all the files


CHANGES: dict[str, Callable[[Path], object]] = {
    "edit": lambda root: (root / "src/steps.py").write_text("def other(): pass\n"),
    "new": lambda root: grow(root, {"src/auth/new.py": "a = 1"}),
    "new folder": lambda root: grow(root, {"lib/new.py": "a = 1"}),
    "deletion": lambda root: (root / "docs/guide.md").unlink(),
    "ignore file": lambda root: (root / ".gitignore").write_text("docs\n"),
    "new ignore file": lambda root: grow(root, {"src/.searchsocketignore": "auth\n"}),
    "configuration": lambda root: (root / "searchsocket.toml").write_text("[code]\nenable = true\nmax_file_bytes = 9"),
    "link": lambda root: ((root / "link.py").unlink(), (root / "link.py").write_text("a = 1")),
    "index": lambda root: next(root.glob(".searchsocket/code/index/main/*/manifest.json")).unlink(),
    "mark": lambda root: open_upkeep(CodeProject(root).project, os.environ).invalidate(["src"], "main"),
}


def test_every_change_that_could_matter_is_looked_at(code: CodeProject) -> None:
    grow(code.root, {"node_modules/lib/more.js": "of a dependency", ".git/index": "of git"})
    settled(code)
    grow(code.root, {"node_modules/lib/other.js": "of a dependency", ".git/index": "written again"})
    assert record(code)
    for name, change in CHANGES.items():
        change(code.root)
        assert record(code) is None, name
        code = CodeProject(code.root)
        settled(code)


def test_files_that_decide_what_git_lists_are_checked(
    code: CodeProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The index of git only while an ignore file names a file that it may track: it is written again and again."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    grow(tmp_path / "home", {".gitconfig": "[core]\n\texcludesFile = ~/.mine\n"})
    git(code.root, "init", "-q")
    settled(code)
    changes: dict[str, Callable[[], object]] = {
        "exclude file of the repository": lambda: (code.root / ".git/info/exclude").write_text("docs\n"),
        "new exclude file of the user": lambda: grow(tmp_path / "home", {".mine": "nothing\n"}),
        "configuration of the user": lambda: (tmp_path / "home" / ".gitconfig").write_text("[user]\n\tname = a\n"),
        "configuration of the repository": lambda: git(code.root, "config", "core.excludesFile", ".none"),
        "tracked file": lambda: git(code.root, "add", "-f", "a.tmp.py"),
    }
    for name, change in changes.items():
        change()
        assert record(code) is None, name
        settled(code)


def test_a_file_as_new_as_its_check_is_checked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may change once more within a tick of the file system's clock, and show the same times."""
    monkeypatch.setattr(kept, "TICK_NS", 3_600 * 10**9)  # however long this test takes
    code = CodeProject(tmp_path / "site")
    upkeep = open_upkeep(code.project, os.environ)
    upkeep.sync("main", "run")
    upkeep.remember(upkeep.sync("main", "again"), None)
    assert record(code) is None
