"""`searchsocket prune`, typed over real repositories and real indexes."""

import json
import os
import shutil
from pathlib import Path

import dagster as dg
import pytest
from click.testing import CliRunner
from runner_types import RunCli, RunJson

from searchsocket.cli.main import cli
from searchsocket.project.project import open_project
from searchsocket.state.project import ProjectState
from searchsocket_assets.run.tags import PARTITION_TAG
from searchsocket_assets.site import NAME
from tests.pipeline.branches.repository import add_file
from tests.sources.git_repository import git

pytestmark = pytest.mark.dagster


@pytest.fixture(scope="module")
def branched_site(indexed_site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An indexed project on `main` with an index of `feature/a`, whose branch lives, and of `gone`, whose does not."""
    root = shutil.copytree(indexed_site, tmp_path_factory.mktemp("branched") / "harbour")
    git(root, "init", "-q", "-b", "main")
    git(root, "remote", "add", "origin", str(root))
    (root / ".gitignore").write_text(".searchsocket/\n")
    add_file(root, "first")
    git(root, "branch", "feature/a")
    for scope in ("feature/a", "gone"):
        result = CliRunner().invoke(cli, ["index", "--record", "--scope", scope, "--project", str(root)])
        assert result.exit_code == 0, result.output
    return root


@pytest.fixture
def branched(branched_site: Path, tmp_path: Path) -> Path:
    """A copy of it, which a test may change."""
    return shutil.copytree(branched_site, tmp_path / "branched" / "harbour")


def keys_and_runs(project: Path) -> tuple[set[str], set[str]]:
    """Partitions that Dagster knows, and those that it knows runs of."""
    with dg.DagsterInstance.from_config(str(open_project(project, {}).dagster_home)) as instance:
        return set(instance.get_dynamic_partitions(NAME)), {run.tags[PARTITION_TAG] for run in instance.get_runs()}


def test_prune_shows_and_deletes_only_when_it_is_meant(run: RunCli, run_json: RunJson, branched: Path) -> None:
    feature = next(path.name for path in (branched / ".searchsocket/index").iterdir() if "feature" in path.name)
    result = run("prune", project=branched)
    assert result.exit_code == 0
    assert "delete  gone" in result.stdout
    assert "Nothing was deleted; run with `--apply` to delete 1 scope." in result.stdout
    assert {"gone"} < keys_and_runs(branched)[0]

    report = run_json("prune", "--apply", project=branched)
    assert (report["deleted"], report["failed"], report["applied"]) == (["gone"], {}, True)
    assert {scope["scope"]: scope["goes"] for scope in report["scopes"]} == {
        "main": False,
        feature: False,
        "gone": True,
    }
    remaining_folders = {
        path.name for folder in ("index", "pages") for path in (branched / ".searchsocket" / folder).iterdir()
    }
    assert remaining_folders & {"main", feature, "gone"} == {"main", feature}
    assert keys_and_runs(branched) == ({"main", feature}, {"main", feature})
    assert run_json("prune", "--apply", project=branched)["deleted"] == []


def test_without_a_remote_only_what_is_asked_for_by_name_or_age_goes(
    run: RunCli, run_json: RunJson, branched: Path, tmp_path: Path
) -> None:
    """`git branch` of a copy without a remote tells nothing of the branches of others."""
    git(branched, "remote", "remove", "origin")
    for arguments in ([], ["--by-branch"], ["--by-branch", "--older-than", "1h", "--match", "all"]):
        refused = run("prune", "--apply", *arguments, project=branched)
        assert refused.stderr.startswith("error [BRANCHES_UNKNOWN]: ")
        assert "has no remote" in refused.stderr
    assert (branched / ".searchsocket/index/gone").is_dir()
    assert run_json("prune", "--apply", "--older-than", "1h", project=branched)["deleted"] == []
    living = tmp_path / "living"
    living.write_text("main\nfeature/a\n")
    assert run_json("prune", "--scopes-file", str(living), project=branched)["scopes"][1]["goes"] is True
    (branched / "searchsocket.toml").write_text('branches.remote = "."\n')
    assert run_json("prune", "--apply", project=branched)["deleted"] == ["gone"]


def test_a_branch_that_comes_back_starts_clean(run: RunCli, run_json: RunJson, branched: Path) -> None:
    run("prune", "--apply", project=branched)
    again = run_json("index", "--scope", "gone", project=branched)
    assert again["records"]["upserted"] > 0
    assert again["embeddings"]["created"] == 0, "its texts are known"


def test_prune_heals_what_a_crash_left_between_its_phases(run: RunCli, run_json: RunJson, branched: Path) -> None:
    from searchsocket.pipeline.run.forget import forget_scope

    project = open_project(branched, {})
    forget_scope(project, project.scope_named("gone"), {})  # as far as the first phase came
    assert "gone" in keys_and_runs(branched)[0]
    assert run_json("prune", "--apply", project=branched)["deleted"] == []
    assert "gone" not in keys_and_runs(branched)[0] | keys_and_runs(branched)[1]


def test_a_scope_at_work_stays_and_is_named(run: RunCli, branched: Path) -> None:
    with ProjectState(branched / ".searchsocket").lock("gone"):
        child = os.fork()  # the lock is this process's own
        if child == 0:
            result = run("prune", "--apply", "--json", project=branched)
            failed = json.loads(result.stdout)["failed"]
            os._exit(0 if (result.exit_code, failed["gone"]["code"]) == (1, "SCOPE_LOCKED") else 1)
        assert os.waitpid(child, 0)[1] == 0
    assert "gone" in keys_and_runs(branched)[0]


def test_a_shallow_clone_prunes_nothing(run: RunCli, branched: Path, tmp_path: Path) -> None:
    add_file(branched, "second")
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{branched}", "clone")
    (branched / ".searchsocket").rename(tmp_path / "clone/.searchsocket")
    refused = run("prune", "--apply", project=tmp_path / "clone")
    assert (refused.exit_code, "BRANCHES_UNKNOWN" in refused.stderr) == (4, True)
    assert (tmp_path / "clone/.searchsocket/index/gone").is_dir()


def test_a_file_names_what_lives(run: RunCli, run_json: RunJson, branched: Path, tmp_path: Path) -> None:
    names = tmp_path / "alive.txt"
    names.write_text("# of the deploys\n\ngone\n")
    feature = run_json("prune", "--scopes-file", str(names), project=branched)
    assert {scope["scope"] for scope in feature["scopes"] if scope["goes"]} == {
        item["scope"] for item in feature["scopes"] if item["scope"].startswith("feature")
    }, "the default branch stays, named or not"
    names.write_text("# nothing\n")
    refused = run("prune", "--scopes-file", str(names), "--apply", project=branched)
    assert refused.exit_code == 4
    assert "contains no names" in refused.stderr


def test_age_alone_needs_no_repository(run_json: RunJson, indexed: Path) -> None:
    assert [scope["goes"] for scope in run_json("prune", "--older-than", "1h", project=indexed)["scopes"]] == [False]


def test_without_a_repository_something_must_be_asked(run: RunCli, indexed: Path) -> None:
    refused = run("prune", project=indexed)
    assert refused.exit_code == 4
    assert "not a git repository" in refused.stderr
