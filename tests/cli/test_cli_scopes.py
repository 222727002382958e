"""`searchsocket scopes`, typed over a real repository and real indexes."""

import json
from pathlib import Path

import dagster as dg
import pytest
from runner_types import RunCli, RunJson

from searchsocket.project.project import open_project
from searchsocket.project.scopes import sanitise_scope
from searchsocket_assets.run.instance import open_instance
from tests.pipeline.branches.repository import add_file
from tests.sources.git_repository import git

pytestmark = pytest.mark.dagster

FEATURE = sanitise_scope("feature/a")


@pytest.fixture
def branched(indexed: Path, run: RunCli) -> Path:
    """`main` and `feature/a`, which has a page more, are indexed; so is `gone`, whose branch is not there."""
    git(indexed, "init", "-q", "-b", "main")
    (indexed / ".gitignore").write_text(".searchsocket/\n")
    add_file(indexed, "first")
    git(indexed, "branch", "feature/a")
    assert run("index", "--scope", "gone", project=indexed).exit_code == 0
    (indexed / "build/only.html").write_text(
        "<title>Only</title><main><h1>Only</h1><p>Here and nowhere else.</p></main>"
    )
    assert run("index", "--scope", "feature/a", project=indexed).exit_code == 0
    return indexed


def test_each_scope_is_told_with_its_branch_and_what_it_holds(
    run: RunCli, run_json: RunJson, branched: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = run_json("scopes", project=branched)
    rows = {row["scope"]: row for row in report["scopes"]}
    assert {name: (row["branch"], row["alive"]) for name, row in rows.items()} == {
        "main": ("main", True),
        FEATURE: ("feature/a", True),
        "gone": ("gone", False),
    }
    feature = rows[FEATURE]
    assert feature["pages"] == rows["main"]["pages"] + 1
    assert feature["ownChunks"] == feature["chunks"] - rows["main"]["chunks"]
    assert rows["main"]["ownChunks"] == rows["gone"]["ownChunks"] == 0
    assert feature["bytes"] > 0
    assert feature["ageSeconds"] >= 0
    assert feature["lastRun"]["status"] == "SUCCESS"
    commit = git(branched, "rev-parse", "HEAD")
    assert feature["sourceRevision"] == f"{commit}-dirty" or feature["sourceRevision"] == commit

    lines = run("scopes", project=branched).stdout.splitlines()
    assert [line.split()[:3] for line in lines[1:]] == [
        [FEATURE, "feature/a", "alive"],
        ["gone", "gone", "gone"],
        ["main", "main", "alive"],
    ]
    manifest = next((branched / f".searchsocket/index/{FEATURE}").glob("*/manifest.json"))
    assert json.loads(manifest.read_text())["generation"]["branch"] == "feature/a"


def test_a_scope_keeps_its_branch_when_that_is_gone(run: RunCli, run_json: RunJson, branched: Path) -> None:
    """And a later run that names the scope alone knows it, too."""
    git(branched, "branch", "-D", "feature/a")
    (branched / "build/only.html").unlink()
    assert run("index", "--scope", FEATURE, project=branched).exit_code == 0
    (row,) = [row for row in run_json("scopes", project=branched)["scopes"] if row["scope"] == FEATURE]
    assert (row["branch"], row["alive"]) == ("feature/a", False)


def test_the_commit_is_told_everywhere(run: RunCli, run_json: RunJson, branched: Path) -> None:
    """With results, by `status`, in the manifest and on the page of the asset."""
    run("index", "--record", "--scope", "feature/a", project=branched)
    commit = git(branched, "rev-parse", "HEAD")
    meta = run_json("search", "mooring rope", "--scope", "feature/a", project=branched)["meta"]
    (row,) = [row for row in run_json("status", project=branched)["scopes"] if row["scope"] == FEATURE]
    manifest = next((branched / f".searchsocket/index/{FEATURE}").glob("*/manifest.json"))
    expected = dg.AssetRecordsFilter(asset_key=dg.AssetKey("search_index"), asset_partitions=[FEATURE])
    with open_instance(branched / ".searchsocket/dagster") as instance:
        (record,) = instance.fetch_materializations(expected, limit=1).records
    assert record.asset_materialization is not None
    report = [
        meta["sourceRevision"],
        row["sourceRevision"],
        json.loads(manifest.read_text())["generation"]["source_revision"],
        record.asset_materialization.metadata["commit"].value,
    ]
    assert [str(item).removesuffix("-dirty") for item in report] == [commit] * 4


def test_a_build_step_can_ask_what_a_scope_is_called(run: RunCli, tmp_path: Path) -> None:
    assert run("scopes", "--name-of", "feature/a", project=tmp_path).stdout == f"{FEATURE}\n"
    refused = run("scopes", "--name-of", "...", project=tmp_path)
    assert (refused.exit_code, refused.stdout) == (2, "")


def test_without_git_nobody_knows_what_lives(run: RunCli, run_json: RunJson, indexed: Path) -> None:
    (row,) = run_json("scopes", project=indexed)["scopes"]
    assert (row["scope"], row["branch"], row["alive"], row["sourceRevision"]) == ("main", "main", None, None)
    assert "BRANCHES_UNKNOWN" in run("scopes", project=indexed).stderr
    assert open_project(indexed, {}).scope({}).branch == "main"
