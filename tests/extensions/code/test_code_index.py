"""Source code as the second corpus of a scope: its own generations, the same cache, and no more work than must be."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from searchsocket.backends import Backends
from searchsocket.errors import LargeDeletion, ScopeNotIndexed
from searchsocket.extensions.code.pipeline import job as code_job
from searchsocket.extensions.code.pipeline import stages as chunks_stage
from searchsocket.extensions.code.sources.files import WorkingTreeSource
from searchsocket.models.embedders.base import Embedder
from searchsocket.pipeline.run.forget import forget_scope
from searchsocket.pipeline.run.index import index_scope, plan_scope
from searchsocket.types import Lines, Scope
from tests.extensions.code.code_project import CodeProject
from tests.extensions.code.trees import grow
from tests.pipeline.conftest import Site
from tests.sources.git_repository import commit, git


@pytest.fixture
def code(tmp_path: Path) -> CodeProject:
    return CodeProject(tmp_path / "site")


def test_definitions_of_the_source_files_are_indexed(code: CodeProject) -> None:
    summary = code.index()
    assert summary.pages == {"found": 7, "indexed": 6, "skipped": 1, "failed": 0, "removed": 0}
    symbols = code.symbols()
    assert {("src/steps.py", "step_0"), ("src/auth/token.ts", "verifyToken"), ("src/auth/token.ts", "LIMIT"),
            ("src/pages/Login.svelte", "submit"), ("docs/guide.md", "Signing in")} <= symbols  # fmt: skip
    assert not {file for file, _ in symbols if "node_modules" in file or "tmp" in file}
    [token] = [record for record in code.records() if record.chunk.at.title == "verifyToken"]
    assert isinstance(token.chunk.at, Lines)
    assert (token.chunk.kind, token.page.language, token.page.source_file) == (
        "function",
        "typescript",
        "src/auth/token.ts",
    )
    assert token.page.facets == (
        "exported=true", "defines=constant", "defines=function", "name=LIMIT", "name=verifyToken", "symbol=limit",
        "symbol=verifytoken",
    )  # fmt: skip
    assert token.chunk.at.doc == "Checks a token's signature."
    assert [r.page.facets for r in code.records() if r.page.url == "/tests/token.test.ts"] == [
        ("defines=block", "test=true")
    ]


def test_the_model_is_determined_once_for_all_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With `auto` it depends on what is live, and each look at that reads files."""
    call_count = 0
    embedder_for = Backends.embedder_for

    def counted(backends: Backends, scope: Scope) -> Embedder:
        nonlocal call_count
        call_count += 1
        return embedder_for(backends, scope)

    monkeypatch.setattr(Backends, "embedder_for", counted)
    CodeProject(tmp_path / "site").index()
    first, call_count = call_count, 0
    more = {f"src/more_{number}.py": f"def more_{number}():\n    return {number}\n" * 20 for number in range(20)}
    grow(tmp_path / "large", more)
    CodeProject(tmp_path / "large").index()
    assert call_count == first


def test_an_edit_of_one_function_of_sixty_embeds_one_text_and_upserts_what_moved(code: CodeProject) -> None:
    code.index()
    code.edit("src/steps.py", "value * 7 +", "value * 70 -")
    assert code.index().embeddings["created"] == 1
    code.edit("src/steps.py", "def step_30(", "# What follows is for the second half alone.\n\n\ndef step_30(")
    moved = code.index()
    assert moved.embeddings["created"] == 1  # the comment, with the function that it stands above
    assert moved.records == {"upserted": 30, "deleted": 0}  # from there on, by their lines


def test_a_scope_that_is_forgotten_takes_its_code_along(code: CodeProject) -> None:
    for scope in ("main", "preview"):
        code.index(scope)
    forget_scope(code.project, code.project.scope_named("preview"), {})
    home = code.run().project
    assert [(home.state_dir / "index" / scope).exists() for scope in ("main", "preview")] == [True, False]
    assert code.index("preview").records["upserted"] == code.index("main").chunks["total"], "it begins anew"


def test_a_run_without_changes_reads_no_file(code: CodeProject, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stamps older than a tick of the clock say that files are as they were."""
    old = 1_700_000_000
    for path in [item for item in code.root.rglob("*") if item.is_file()]:
        os.utime(path, (old, old))
    monkeypatch.setattr("searchsocket.extensions.code.sources.files.WorkingTreeSource", Later)
    first = code.index()

    def read(*_: object) -> bytes:
        raise AssertionError

    monkeypatch.setattr(Later, "read", read)
    again = code.index()
    assert again.generation == first.generation
    assert (again.embeddings["created"], again.records["upserted"]) == (0, 0)


class Later(WorkingTreeSource):
    """Looked at long after the files were written."""

    def __init__(self, *arguments: object, **options: object) -> None:
        super().__init__(*arguments, **options, now_ns=lambda: 4_000_000_000 * 10**9)  # type: ignore[arg-type]


def test_files_that_go_take_their_records_along(code: CodeProject) -> None:
    code.index()
    (code.root / "docs" / "guide.md").unlink()
    assert code.index().records["deleted"] == 1
    for name in ("src/steps.py", "src/auth/token.ts", "src/pages/Login.svelte"):
        (code.root / name).unlink()
    with pytest.raises(LargeDeletion):
        code.index()


def test_the_two_corpora_of_a_scope_leave_each_other_alone(code: CodeProject) -> None:
    """The site has its own state, generations and rollback."""
    code.index()
    site = Site(code.root)
    with pytest.raises(ScopeNotIndexed):
        site.run().backends.store.reader(code.project.scope_named("main"))
    before = code.index().generation
    assert site.index().pages["indexed"] == 6
    assert code.index().generation == before
    assert not {record.page.url for record in site.records()} & {record.page.url for record in code.records()}


def test_the_same_code_in_another_scope_embeds_nothing(code: CodeProject) -> None:
    first = code.index()
    second = code.index("preview")
    assert (first.embeddings["reused"], second.embeddings["created"]) == (0, 0)
    assert second.chunks["total"] == first.chunks["total"]


def test_a_plan_writes_nothing(code: CodeProject) -> None:
    plan = plan_scope(code.run())
    assert (plan.dry_run, plan.pages["indexed"]) == (True, 6)
    assert not (code.root / ".searchsocket" / "code" / "index").exists()


def test_code_of_a_branch_needs_no_checkout(code: CodeProject) -> None:
    git(code.root, "init", "-q")
    commit(code.root, {})
    git(code.root, "branch", "kept")
    code.edit("src/auth/token.ts", "verifyToken", "checkToken")
    commit(code.root, {})
    summary = code.index("kept", source="git-branch")
    assert summary.pages["indexed"] == 6
    assert "verifyToken" in {record.chunk.at.title for record in code.records("kept")}


def test_odd_files_cost_only_themselves(code: CodeProject) -> None:
    grow(
        code.root,
        {
            "src/broken.py": "def ok():\n    return 'a function that is whole, above one that is not'\n\ndef (((\n" * 3,
            "src/binary.ts": b"\0\1\2" * 100,
            "src/latin.js": "// Grüße aus der Küche, nicht in UTF-8 geschrieben\nlet a = 1\n".encode("latin-1"),
            "src/deep.json": "[" * 50_000,
            "src/empty.py": "",
        },
    )  # fmt: skip
    summary = code.index()
    assert summary.pages["failed"] == 0
    assert dict(summary.skip_reasons) == {"binary": 1, "dependencies": 1}
    assert ("src/broken.py", "ok") in code.symbols()
    assert summary.warnings == ("/src/latin.js: not valid utf-8: read as windows-1252",)


def test_a_file_that_no_worker_survives_is_text(code: CodeProject, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file whose grammar crashes is cut at blank lines by the main process, which parses nothing."""
    monkeypatch.setattr(chunks_stage, "_SERIAL_BELOW_BYTES", 0)
    monkeypatch.setattr(chunks_stage, "cut_batch", dies_of_tokens)
    summary = code.index()
    assert summary.pages == {"found": 7, "indexed": 6, "skipped": 1, "failed": 0, "removed": 0}
    assert any("/src/auth/token.ts: parsing took too much" in warning for warning in summary.warnings)
    assert ("src/auth/token.ts", "verifyToken") not in code.symbols()
    assert ("src/steps.py", "step_0") in code.symbols()


def dies_of_tokens(job: code_job.CodeJob) -> list[code_job.CutFile]:
    if any("auth/token" in file.raw.locator for file in job.files):
        os._exit(9)
    return code_job.cut_batch(job)


def test_without_the_grammars_it_is_said_once(code: CodeProject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("searchsocket.extensions.code.parsing.definitions.grammars.parser_of", lambda language: None)
    monkeypatch.setattr(chunks_stage, "installed", lambda: False)
    summary = code.index()
    assert [warning for warning in summary.warnings if "searchsocket[code]" in warning] == list(summary.warnings)
    assert len(summary.warnings) == 1
    assert {record.chunk.kind for record in code.records()} == {"block"}


def test_code_is_rolled_back_by_itself(code: CodeProject) -> None:
    first = code.index()
    code.edit("src/auth/token.ts", "LIMIT = 3", "LIMIT = 4")
    assert code.index().generation != first.generation
    run = code.run()
    assert run.backends.store.rollback(run.scope).name == first.generation


def test_a_library_without_grammars_imports(tmp_path: Path) -> None:
    """The extra is one: nothing of it is loaded by a site."""
    program = "import sys, searchsocket.pipeline.run.stages\nprint(any('tree_sitter' in name for name in sys.modules))"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"


def test_runs_over_the_same_code_make_the_same_bytes(tmp_path: Path) -> None:
    one, two = CodeProject(tmp_path / "one" / "site"), CodeProject(tmp_path / "two" / "site")
    one.index()
    index_scope(two.run())
    assert one.records() == two.records()
