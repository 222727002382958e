"""No file disappears without a word: every command counts what is left out, by reason, and names the first ones."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from searchsocket.cli.main import cli
from searchsocket.errors import ConfigMissing
from searchsocket.extensions.code.parsing.selection import glob_filter
from searchsocket.extensions.code.search.find_all import CodeFindQuery
from searchsocket.extensions.code.serving.service import open_code
from searchsocket.extensions.code.serving.upkeep import CodeUpkeep, open_upkeep
from searchsocket.extensions.code.sources.files import CommitSource
from searchsocket.text.skipped import first_skipped
from tests.extensions.code.code_project import CodeProject
from tests.extensions.code.trees import EVERYTHING, MAX_BYTES, grow, names, working_tree
from tests.sources.git_repository import commit, git

OTHERS: dict[str, str | bytes] = {
    "a.unknown": "text", "large.py": "a = 1\n" * 200_000, ".env": "A=1", "nested/.git/HEAD": "x",
    "nested/b.py": "b = 1", "data.py": b"\0\1\2", "legacy/old.py": "old = 1", "yarn.lock": "x", "dist/main.js": "x",
    "own.py": "own = 1", "api.ts": "export const a = 1;", "api.d.ts": "export const a: number;",
    "model.json": b"version https://git-lfs.github.com/spec/v1\noid sha256:a9d8db4a\nsize 14131452\n",
    "photo.png": b"\x89PNG",
    ".searchsocketignore": "own.py\n",
}  # fmt: skip
LISTED = {
    ".env": "secret-like name",
    "a.unknown": "unknown type",
    "api.d.ts": "declarations of the file next to it",
    "dist/": "build output",
    "large.py": "larger than code.max_file_bytes (1,000,000)",
    "legacy/": "excluded by code.exclude",
    "link.py": "a link",
    "nested/": "another repository",
    "node_modules/": "dependencies",
    "own.py": "excluded by .searchsocketignore",
    "photo.png": "binary",
    "yarn.lock": "lock file",
}
LEFT_OUT = [*LISTED.items(), ("data.py", "binary"), ("model.json", "not fetched by Git LFS")]


@pytest.fixture
def code(tmp_path: Path) -> CodeProject:
    code = CodeProject(tmp_path / "site")
    grow(code.root, OTHERS)
    (code.root / "link.py").symlink_to("own.py")
    (code.root / "searchsocket.toml").write_text('[code]\nenable = true\nexclude = ["/legacy/"]\n')
    return code


def upkeep(code: CodeProject) -> CodeUpkeep:
    return open_upkeep(code.project, {})


def test_sync_status_and_index_report_the_same(code: CodeProject) -> None:
    """Files that git ignores are not among them: their owner asked for that."""
    sync_report = upkeep(code).sync("main", "run-1")
    again = upkeep(code).sync("main", "run-2")
    status = upkeep(code).status("main", code.run().clock())
    summary = code.index()
    for skipped in (sync_report.skipped, again.skipped, status.skipped):
        assert [(record.page, record.reason) for record in skipped] == LEFT_OUT
    assert [tuple(item) for item in summary.skipped] == LEFT_OUT
    assert sync_report.skip_reasons == again.skip_reasons == status.skip_reasons == dict(summary.skip_reasons)
    assert sync_report.skip_reasons["binary"] == 2
    assert summary.pages["skipped"] == sum(sync_report.skip_reasons.values()) == len(LEFT_OUT)


def test_find_says_what_it_did_not_search(code: CodeProject) -> None:
    """So "0 occurrences" is not taken for "nowhere"; with a folder, only what is left out there."""
    code.index()
    service = open_code(code.project, {})
    answer = service.find(CodeFindQuery("nothing_has_this"), "main")
    assert answer.total == 0
    assert sum(answer.skip_reasons.values()) == len(LEFT_OUT)
    assert [record.page for record in answer.skipped][:3] == [".env", "a.unknown", "api.d.ts"]
    assert service.find(CodeFindQuery("nothing_has_this", path="src"), "main").skip_reasons == {}
    assert service.find(CodeFindQuery("nothing_has_this", path="nested"), "main").skip_reasons == {
        "another repository": 1
    }


def test_commands_print_a_line_about_it(code: CodeProject) -> None:
    def printed(*arguments: str) -> str:
        return CliRunner().invoke(cli, [*arguments, "--project", str(code.root)]).stdout

    line = "not searched: 2 binary (photo.png, data.py), 1 a link (link.py), 1 another repository (nested/), "
    assert line in printed("code", "sync")
    assert line in printed("code", "sync")
    assert line in printed("code", "status")
    assert line in printed("code", "find", "verifyToken")
    report = json.loads(printed("code", "sync", "--json"))
    assert [(item["page"], item["reason"]) for item in report["skipped"]] == LEFT_OUT
    assert report["skipReasons"]["lock file"] == 1


def test_settings_that_select_nothing_are_named(code: CodeProject) -> None:
    (code.root / "searchsocket.toml").write_text('[code]\nenable = true\ninclude = ["lib/**"]\n')
    with pytest.raises(ConfigMissing, match=r"no file has searchable text.*no source file matches 'lib/\*\*'") as error:
        code.index()
    assert "not in code.include" in str(error.value)
    assert "page" not in str(error.value)


def test_a_text_of_an_unknown_type_is_added_by_a_glob_that_names_it(tmp_path: Path) -> None:
    """A glob of folders adds none: nobody asked for the data in them."""
    grow(tmp_path, {"src/a.unknown": "1", "src/b.py": "1", "src/NOTES-old": "1"})
    for include, selected in [
        (("src/**",), ["src/b.py"]),
        (("**", "*.unknown"), ["src/a.unknown", "src/b.py"]),
        (("/src/a.*",), ["src/a.unknown"]),
        (("src/NOTES-old",), ["src/NOTES-old"]),
    ]:
        source = working_tree(tmp_path, filter_=glob_filter(include, ()))
        assert names(source) == selected


def test_an_added_text_is_indexed_and_found(code: CodeProject) -> None:
    grow(code.root, {"a.unknown": "a line that only this file of an unknown type has in it: marker_of_it\n"})
    (code.root / "searchsocket.toml").write_text('[code]\nenable = true\ninclude = ["src/**", "*.unknown"]\n')
    code.index()
    answer = open_code(code.project, {}).find(CodeFindQuery("marker_of_it", languages=("text",)), "main")
    assert [occurrence.file for occurrence in answer.occurrences] == ["a.unknown"]


def test_a_commit_reports_the_same(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "link.py").symlink_to("a.py")
    files = {"a.py": "1", "bin/tool": "#!/bin/sh\n", "b.unknown": "1", "c.pem": "1", "d.png": "1", "e": "text"}
    source = CommitSource(tmp_path, commit(tmp_path, files), EVERYTHING, max_file_bytes=MAX_BYTES)
    assert names(source) == ["a.py", "bin/tool"]
    assert source.report.skipped == {
        "b.unknown": "unknown type", "c.pem": "secret-like name", "d.png": "binary", "e": "unknown type",
        "link.py": "a link",
    }  # fmt: skip
    source.close()


def test_the_first_of_each_reason_are_listed_if_there_are_many() -> None:
    reasons = {f"{n:03}.png": "binary" for n in range(200)} | {"z.txt": "unknown type"}
    assert [record.page for record in first_skipped(reasons, 4)] == ["000.png", "001.png", "z.txt"]
    assert len(first_skipped(reasons)) == 51


def test_code_with_a_name_like_a_key_is_shown_without_its_secrets_and_follows_the_settings(code: CodeProject) -> None:
    """In the index, in `find` and in `fetch`; a value that the settings keep is there after the next sync."""
    grow(code.root, {"src/credentials.py": 'PASSWORD = "swordfish"\n\n\ndef sign_in_here(name):\n    return name\n'})

    def occurrences() -> int:
        return open_code(code.project, {}).find(CodeFindQuery("swordfish", path="src"), "main").total

    def lines() -> tuple[str, ...]:
        return open_code(code.project, {}).fetch_file("src/credentials.py", 1, 1, "main").text

    upkeep(code).sync("main", "run-1")
    assert ("src/credentials.py", "sign_in_here") in code.symbols()
    assert all("swordfish" not in record.chunk.body.text for record in code.records())
    assert (occurrences(), lines()) == (0, ('1| PASSWORD = "[redacted]"',))
    settings = '[code]\nenable = true\n[redaction]\nkeep = ["swordfish"]\n'
    (code.root / "searchsocket.toml").write_text(settings)
    upkeep(code).sync("main", "run-2")
    assert (occurrences(), lines()) == (1, ('1| PASSWORD = "swordfish"',))
    assert not upkeep(code).status("main", code.run().clock()).dirty
