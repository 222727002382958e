"""Freshness of the code index: answers report stale files, and a sync reads only those."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from searchsocket.cli.main import cli
from searchsocket.errors import InvalidRequest
from searchsocket.extensions.code.pipeline.staleness import Staleness, staleness
from searchsocket.extensions.code.search.answer import CodeQuery, CodeStatus
from searchsocket.extensions.code.serving.service import open_code
from searchsocket.extensions.code.serving.upkeep import CodeUpkeep, open_upkeep
from searchsocket.extensions.code.settings import CodeSettings
from searchsocket.state.inventory import ListedFile
from searchsocket.system.files import write_atomic
from tests.extensions.code.code_project import CodeProject
from tests.extensions.code.trees import grow, working_tree

NOW = datetime(2026, 2, 1, tzinfo=UTC)
LATER = 1 << 62  # when no file is young


@pytest.fixture
def code(tmp_path: Path) -> CodeProject:
    return CodeProject(tmp_path / "site")


def upkeep(code: CodeProject) -> CodeUpkeep:
    return open_upkeep(code.project, {})


def status(code: CodeProject) -> CodeStatus:
    return upkeep(code).status("main", NOW)


def test_a_changed_file_is_dirty_until_a_sync(code: CodeProject) -> None:
    before = status(code)
    assert (before.indexed, before.dirty, before.new.count) == (False, True, 6)
    sync_report = upkeep(code).sync("main", "run-1")
    assert (sync_report.changed, sync_report.files) == (True, 6)
    assert code.project.state_dir.stat().st_mode & 0o077 == 0  # source is not public
    after = status(code)
    assert (after.indexed, after.dirty, after.files, after.generation) == (True, False, 6, sync_report.generation)
    again = upkeep(code).sync("main", "run-2")
    assert (again.changed, again.generation, again.embedded) == (False, sync_report.generation, 0)


def test_each_kind_of_stale_file_is_named(code: CodeProject) -> None:
    upkeep(code).sync("main", "run-1")
    code.edit("src/steps.py", "value * 3 +", "value * 333 +")
    grow(code.root, {"src/new.py": "def brand_new_function(argument):\n    return argument + argument\n"})
    (code.root / "docs/guide.md").unlink()
    answer = status(code)
    assert answer.dirty
    assert answer.changed.paths == ("src/steps.py",)
    assert (answer.new.paths, answer.deleted.paths) == (("src/new.py",), ("docs/guide.md",))
    sync_report = upkeep(code).sync("main", "run-2")
    assert (sync_report.embedded, sync_report.deleted >= 1) == (2, True)
    assert not status(code).dirty


def test_bytes_of_the_configuration_and_times_of_files_count(code: CodeProject) -> None:
    upkeep(code).sync("main", "run-1")
    configuration = code.root / "searchsocket.toml"
    configuration.write_text(configuration.read_text() + "# a comment\n")
    assert status(code).configuration_changed
    upkeep(code).sync("main", "run-2")
    assert not status(code).dirty
    (code.root / ".gitignore").write_text("*.tmp.py\n/src/auth/\n")
    assert status(code).deleted.paths == ("src/auth/token.ts",)


def test_files_that_another_version_cut_are_cut_anew(code: CodeProject, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where nothing else changed, and where grammars were installed since."""
    upkeep(code).sync("main", "run-1")
    monkeypatch.setattr("searchsocket.extensions.code.pipeline.staleness.CODE_CHUNKER_VERSION", "next")
    monkeypatch.setattr("searchsocket.extensions.code.pipeline.stages.CODE_CHUNKER_VERSION", "next")
    assert (status(code).rules_changed, status(code).dirty) == (True, True)
    sync_report = upkeep(code).sync("main", "run-2")
    assert (sync_report.changed, sync_report.embedded, status(code).dirty) == (True, 0, False)
    monkeypatch.setattr("searchsocket.extensions.code.pipeline.staleness.available", lambda: False)
    assert status(code).rules_changed


def test_files_are_not_read_to_know_that_they_are_the_same(code: CodeProject) -> None:
    """Their stamps say it, but for those that were written in the moment before."""
    listed = {
        page.url: ListedFile(page.locator, page.stamp, "another hash", is_cut=True)
        for page in working_tree(code.root, now_ns=lambda: LATER).pages()
    }
    same = staleness(working_tree(code.root, now_ns=lambda: LATER), listed)
    assert same == Staleness()
    os.utime(code.root / "src/steps.py")
    assert staleness(working_tree(code.root, now_ns=lambda: LATER), listed).changed == ("src/steps.py",)
    assert len(staleness(working_tree(code.root), listed).changed) == 6  # young: their bytes are compared


def test_nothing_that_indexes_is_loaded_to_know_that_nothing_changed(code: CodeProject) -> None:
    upkeep(code).sync("main", "run-1")
    program = (
        "import sys; from pathlib import Path; from searchsocket.project.project import open_project\n"
        "from searchsocket.extensions.code.serving.upkeep import open_upkeep\n"
        "assert not open_upkeep(open_project(Path(sys.argv[1]), {}), {}).sync('main', 'run').changed\n"
        "print(*(name for name in sys.modules if name.startswith(('tree_sitter', 'searchsocket.pipeline.stages'))))"
    )
    result = subprocess.run([sys.executable, "-c", program, code.root], capture_output=True, text=True, check=True)
    assert result.stdout == "\n"


def test_marked_files_are_said_to_have_changed_until_they_are_read_again(code: CodeProject) -> None:
    upkeep(code).sync("main", "run-1")
    service = open_code(code.project, {})

    def changed() -> dict[str, bool]:
        results = service.search(CodeQuery("verifyToken", top_k=20), "main").results
        return {result.file: result.changed_since for result in results}

    assert set(changed().values()) == {False}
    assert upkeep(code).invalidate(["src/auth/**"], "main").paths == ("src/auth/token.ts",)
    assert [file for file, is_changed in changed().items() if is_changed] == ["src/auth/token.ts"]
    assert [term.result.file for term in service.by_terms("signature", "main", 5, 2) if term.result.changed_since] == [
        "src/auth/token.ts"
    ]
    assert (status(code).marked.paths, status(code).dirty) == (("src/auth/token.ts",), True)
    sync_report = upkeep(code).sync("main", "run-2")
    assert (sync_report.changed, sync_report.embedded, sync_report.upserted) == (True, 0, 0)
    assert set(changed().values()) == {False}
    assert upkeep(code).invalidate(["nowhere"], "main").count == 0
    with pytest.raises(InvalidRequest):
        upkeep(code).invalidate(["a\0"], "main")


def test_an_index_that_cannot_be_read_is_built_anew(code: CodeProject) -> None:
    sync_report = upkeep(code).sync("main", "run-1")
    [manifest] = code.root.glob(f".searchsocket/code/index/main/{sync_report.generation}/manifest.json")
    write_atomic(manifest, b'{"format": 1}')
    assert (status(code).indexed, status(code).dirty) == (False, True)
    again = upkeep(code).sync("main", "run-2")
    assert (again.changed, again.files, bool(again.warnings)) == (True, 6, True)
    assert not status(code).dirty


def test_the_commands_say_what_they_did(code: CodeProject) -> None:
    def run(*arguments: str) -> str:
        result = CliRunner().invoke(cli, ["code", *arguments, "--project", str(code.root)])
        assert result.exit_code == 0, result.output
        return result.output

    assert "`searchsocket code sync`" in run("status")
    assert run("sync").startswith("6 files, ")
    assert run("sync").startswith("up to date: 6 files, ")
    assert run("status").endswith("up to date\n")
    assert run("invalidate", "src/auth") == "marked 1 file; run `searchsocket code sync` to read them again\n"
    assert "  marked  src/auth/token.ts\n" in run("status")
    answers = {name: json.loads(run(name, "--json")) for name in ("sync", "status")}
    assert (answers["sync"]["changed"], answers["status"]["dirty"]) == (True, False)
    assert json.loads(run("invalidate", "src", "--json"))["count"] == 3


def test_status_and_doctor_look_at_source_code_too(code: CodeProject) -> None:
    def run(command: str, *more: str) -> str:
        return CliRunner().invoke(cli, [command, *more, "--project", str(code.root)]).output

    assert "code           not indexed yet" in run("doctor")
    assert json.loads(run("status", "--json"))["code"] == []
    upkeep(code).sync("main", "run-1")
    code.edit("docs/guide.md", "once", "twice")
    assert "code of main\n  6 files, " in run("status")
    assert "1 changed; run `searchsocket code sync --scope main`" in run("status")
    assert json.loads(run("status", "--json"))["code"][0]["changed"] == {"count": 1, "paths": ["docs/guide.md"]}
    assert ", all files intact" in run("doctor").partition("code main")[2]
    [facts] = code.root.glob(".searchsocket/code/index/main/*/packs/*.f32")
    write_atomic(facts, facts.read_bytes()[:-4])
    assert "BROKEN  code main" in run("doctor")


def test_init_enables_code_and_keeps_what_is_there(tmp_path: Path) -> None:
    def init(root: Path) -> list[str]:
        result = CliRunner().invoke(cli, ["code", "init", "--project", str(root), "--json"])
        return list(json.loads(result.stdout)["written"])

    empty = grow(tmp_path / "empty", {"a.py": ""})
    assert init(empty) == ["searchsocket.toml", ".searchsocketignore", ".gitignore"]
    assert CodeProject(empty).project.settings.section(CodeSettings).enable
    mine = grow(tmp_path / "mine", {"searchsocket.toml": "[scope]\nfixed = 'x'", ".searchsocketignore": "/old/\n"})
    assert init(mine) == ["searchsocket.toml", ".gitignore"]
    assert (mine / "searchsocket.toml").read_text().startswith("[scope]\nfixed = 'x'\n\n[code]\n")
    assert (mine / ".searchsocketignore").read_text() == "/old/\n"
    assert init(mine) == []
    shared = grow(tmp_path / "shared", {"pyproject.toml": "[tool.searchsocket.scope]\nfixed = 'x'\n"})
    assert init(shared)[0] == "pyproject.toml"
    assert "[tool.searchsocket.code]\nenable = true" in (shared / "pyproject.toml").read_text()
