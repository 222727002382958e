"""Golden queries of source code, asked of a candidate before the switch and by `searchsocket test`."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from searchsocket.cli.main import cli
from searchsocket.pipeline.run.index import index_scope
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.pipeline.run.results import GoldenQueriesFailed
from searchsocket.pipeline.run.summary import IndexSummary
from searchsocket.quality.candidate import judge_candidate
from tests.extensions.code.code_project import CodeProject

GOLDEN = """
[[query]]
query = "verifyToken"
corpus = "code"
expect = "src/auth/token.ts#verifyToken"
[[query]]
query = "opening hours"
expect = "/visit"
"""


@pytest.fixture
def code(tmp_path: Path) -> CodeProject:
    project = CodeProject(tmp_path / "shop")
    (project.root / "golden-queries.toml").write_text(GOLDEN)
    return project


def index(code: CodeProject, **options: object) -> IndexSummary:
    """As runs of Dagster do, which ask golden queries."""
    run = code.run(options=RunOptions(**options))  # type: ignore[arg-type]
    return index_scope(replace(run, judge=judge_candidate))


Ask = Callable[..., Result]


@pytest.fixture
def ask(code: CodeProject) -> Ask:
    return lambda *arguments: CliRunner().invoke(cli, ["test", "--project", str(code.root), *arguments])


def test_a_candidate_that_lost_a_definition_is_refused_and_kept(code: CodeProject, ask: Ask) -> None:
    index(code)
    report = json.loads(ask("--only", "code", "--json").stdout)
    assert (report["code"]["passed"], report["code"]["queries"][0]["rank"]) == (True, 1)
    live = report["code"]["generation"]

    token = code.root / "src/auth/token.ts"
    token.write_text(token.read_text().replace("verifyToken", "checkSignature"))
    with pytest.raises(GoldenQueriesFailed, match=r"worst: 'verifyToken' \(1 → not found\)"):
        index(code)
    assert json.loads(ask("--only", "code", "--json").stdout)["code"]["generation"] == live
    refused = ask("--only", "code", "--generation", "candidate")
    assert (refused.exit_code, "main, code: 1 golden queries on generation " in refused.stdout) == (1, True)
    assert "failed: recall@k falls from 1.000 to 0.000" in refused.stdout
    index(code, accept_quality_drop=True)
    assert json.loads(ask("--only", "code", "--json").stdout)["code"]["generation"] > live


def test_a_file_and_a_definition_are_told_apart(code: CodeProject, ask: Ask) -> None:
    """And what must not be found is refused of code as of pages."""
    index(code)
    (code.root / "golden-queries.toml").write_text(
        '[[query]]\nquery = "verifyToken"\ncorpus = "code"\n'
        'expect = ["src/auth/token.ts#LIMIT", "src/auth/token.ts"]\nmust_not = "src/pages/Login.svelte#submit"\n'
    )
    report = json.loads(ask("--json").stdout)
    (query,) = report["code"]["queries"]
    assert query["rank"] == 1
    assert query["unwanted"] == ["src/pages/Login.svelte#submit"]
    assert report["code"]["measures"]["recall"] == 0.5
    assert not report["code"]["passed"]


def test_queries_of_code_that_is_not_indexed_say_so(code: CodeProject, ask: Ask) -> None:
    missing = ask("--only", "code")
    assert (missing.exit_code, "the code of scope 'main' has no index" in missing.stderr) == (3, True), missing.stderr
    (code.root / "golden-queries.toml").write_text(GOLDEN.partition("[[query]]")[0])
    none = ask("--only", "code")
    assert "no golden queries of the code for scope 'main'" in none.stderr
