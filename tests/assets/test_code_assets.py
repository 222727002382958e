"""Source code in Dagster: a group and a job of its own, and a failure of one corpus that leaves the other."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from searchsocket.cli.main import cli
from searchsocket.extensions.code.pipeline.stages import CODE_STAGES
from searchsocket_assets.definitions import build_definitions
from searchsocket_assets.site import PROJECT_VARIABLE, ProjectTraits, traits_of_project
from tests.extensions.code.code_project import CodeProject

pytestmark = pytest.mark.dagster


@pytest.fixture
def project(tmp_path: Path) -> CodeProject:
    return CodeProject(tmp_path / "harbour")


def test_code_is_a_group_of_its_own_where_it_is_enabled(project: CodeProject) -> None:
    traits = traits_of_project({PROJECT_VARIABLE: str(project.root)})
    specs = list(build_definitions(traits=traits).resolve_all_asset_specs())
    assert {spec.key.to_user_string() for spec in specs if spec.group_name == "code"} == {
        stage.name for stage in CODE_STAGES
    }
    deps = {dep.asset_key.to_user_string() for spec in specs if spec.group_name == "code" for dep in spec.deps}
    assert deps == {"code_files", "code_chunks", "code_embeddings"}
    without = build_definitions(traits=ProjectTraits())
    assert {spec.group_name for spec in without.resolve_all_asset_specs()} == {"site", "branches"}


def test_a_site_that_cannot_be_indexed_leaves_its_code(project: CodeProject) -> None:
    """There is no build of the site: that is said, and the code is live."""
    (project.root / "searchsocket.toml").write_text('source.mode = "static-output"\ncode.enable = true\n')
    result = CliRunner().invoke(cli, ["index", "--project", str(project.root)])
    assert result.exit_code != 0
    assert "build the site first" in result.stderr
    assert "main code: published generation" in result.stdout
    assert ("src/auth/token.ts", "verifyToken") in project.symbols()


def test_one_corpus_alone_is_indexed_where_it_is_asked_for(project: CodeProject) -> None:
    result = CliRunner().invoke(cli, ["index", "--only", "code", "--json", "--project", str(project.root)])
    assert result.exit_code == 0, result.output
    summary = json.loads(result.stdout)
    assert summary["scope"] == "main"
    assert summary["code"]["pages"]["indexed"] == 6
    assert set(summary["code"]["seconds"]) == {"loading", *(stage.name for stage in CODE_STAGES), "checks", "total"}


def test_code_that_was_indexed_alone_says_nothing_of_the_site(
    project: CodeProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run of the site that follows must not take it for its own."""
    looked: list[object] = []
    monkeypatch.setattr("searchsocket.pipeline.unchanged.inputs.inputs_of", lambda run, now_ns: looked.append(run))
    result = CliRunner().invoke(cli, ["index", "--only", "code", "--project", str(project.root)])
    assert result.exit_code == 0, result.output
    assert looked == []
