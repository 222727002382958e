"""`searchsocket backfill`, typed over a real repository whose branches differ."""

import json
from pathlib import Path

import pytest
from runner_types import RunCli, RunJson

from searchsocket.project.scopes import sanitise_scope
from tests.pipeline.branches.repository import add_file, make_origin
from tests.sources.git_repository import commit, git

pytestmark = pytest.mark.dagster

TEXTS = {"docs/ropes.md": "# Ropes\n\nA bowline holds.\n", "docs/boats.md": "# Boats\n\nThey float.\n"}
BAD, MORE = "feature/bad", "feature/more"


@pytest.fixture
def branched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """`main`, a branch with a page more, and one on which there is no page at all."""
    monkeypatch.setenv("SEARCHSOCKET_CACHE", str(tmp_path / "cache"))
    root = tmp_path / "branched"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    (root / "searchsocket.toml").write_text('[source]\nmode = "git-branch"\n[branches]\nexclude = ["wip/*"]\n')
    (root / ".gitignore").write_text(".searchsocket/\n")
    commit(root, TEXTS)
    git(root, "branch", "wip/x")
    git(root, "checkout", "-q", "-b", MORE)
    commit(root, {"docs/sails.md": "# Sails\n\nThey catch the wind.\n"})
    git(root, "checkout", "-q", "-b", BAD, "main")
    git(root, "rm", "-q", "-r", "docs")
    add_file(root, "empty")
    git(root, "checkout", "-q", "main")
    return root


def test_a_branch_that_fails_leaves_the_others_and_is_named(run: RunCli, run_json: RunJson, branched: Path) -> None:
    """Also: a text that branches share is embedded once, though their runs are side by side."""
    bad, more = sanitise_scope(BAD), sanitise_scope(MORE)
    result = run("backfill", "--all", "--json", project=branched)
    assert result.exit_code == 1
    report = json.loads(result.stdout)
    assert report["failed"] == [bad]
    rows = {row["scope"]: row for row in report["scopes"]}
    assert set(rows) == {"main", bad, more}
    assert rows[bad]["error"]["code"] == "CONFIG_MISSING"
    assert rows[more]["pages"]["indexed"] == 3

    scopes = {row["scope"]: row for row in run_json("scopes", project=branched)["scopes"]}
    texts = scopes["main"]["chunks"] + scopes[more]["ownChunks"]
    assert sum(model["texts"] for model in run_json("cache", "status", project=branched)["models"]) == texts
    assert sum(rows[name]["embeddings"]["created"] for name in ("main", more)) == texts


def test_a_glob_that_fits_nothing_is_refused(run: RunCli, branched: Path) -> None:
    lost = run("backfill", "--scopes", "featur-*", project=branched)
    assert lost.exit_code == 2
    assert "error [INVALID_REQUEST]: no scope and no existing branch matches 'featur-*'" in lost.stderr


def test_backfill_needs_a_selection(run: RunCli, branched: Path) -> None:
    assert "select scopes with" in run("backfill", project=branched).stderr


def test_branches_are_not_indexed_from_one_build(run: RunCli, tmp_path: Path) -> None:
    """Each index would hold the pages of the branch that was built last."""
    refused = run("backfill", "--all", project=make_origin(tmp_path / "site", ["main", "feature/a"]))
    assert (refused.exit_code, "2 branches would be indexed from the same pages" in refused.stderr) == (2, True)
