"""`searchsocket artifacts` and what it prints."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from small_site import write_page, write_site

from searchsocket.cli.main import cli
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.index import index_scope, plan_scope
from searchsocket.project.project import open_project


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_site(tmp_path / "harbour")


@pytest.fixture
def url(tmp_path: Path) -> str:
    return (tmp_path / "objects").as_uri()


def index(root: Path, url: str, scope: str = "main") -> str:
    environ = {"SEARCHSOCKET__ARTIFACTS__URL": url}
    project = open_project(root, environ)
    return index_scope(ScopeRun(project, project.scope_named(scope), "run", environ=environ)).generation


def artifacts(root: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["artifacts", *arguments, "--project", str(root)])


def printed(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_a_run_pushes_and_a_push_by_hand_has_nothing_left_to_send(root: Path, url: str) -> None:
    generation = index(root, url)
    pushed = printed(artifacts(root, "push", "--url", url, "--json"))
    assert pushed == {
        "scope": "main", "generation": generation, "files": pushed["files"], "sentFiles": 0, "sentBytes": 0,
        "switched": False,
    }  # fmt: skip
    printed_again = artifacts(root, "push", "--url", url).stdout
    assert f"generation {generation} is live in the object store; sent 0 files" in printed_again


def test_the_list_names_every_generation_and_what_is_live(root: Path, url: str) -> None:
    first = index(root, url)
    write_page(root, "docs/new", "New", "A page about lighthouses.")
    second, preview = index(root, url), index(root, url, "preview")
    listed = printed(artifacts(root, "list", "--url", url, "--json"))["generations"]
    assert [(item["scope"], item["generation"], item["live"]) for item in listed] == [
        ("main", second, True), ("main", first, False), ("preview", preview, True),
    ]  # fmt: skip
    assert listed[0]["replacedAt"] is None
    assert listed[1]["replacedAt"] is not None
    assert artifacts(root, "list", "--url", url).stdout.count("live") == 2


def test_prune_counts_before_it_removes(root: Path, url: str) -> None:
    index(root, url)
    write_page(root, "docs/new", "New", "A page about lighthouses.")
    index(root, url)
    index(root, url, "preview")
    options = ["prune", "--url", url, "--keep", "1", "--min-age-hours", "0", "--drop-scope", "preview", "--json"]
    counted = printed(artifacts(root, *options, "--dry-run"))
    removed = printed(artifacts(root, *options))
    assert (counted["dryRun"], removed["dryRun"]) == (True, False)
    assert counted["generations"] == removed["generations"]
    assert counted["files"] == removed["files"] > 0
    generations = printed(artifacts(root, "list", "--url", url, "--json"))["generations"]
    assert [(generation["scope"], generation["live"]) for generation in generations] == [("main", True)]
    assert "removed 0 generations" in artifacts(root, "prune", "--url", url).stdout


@pytest.mark.parametrize("name", ["push", "pull", "list", "prune"])
def test_without_an_address_each_says_how_to_give_one(root: Path, name: str) -> None:
    result = artifacts(root, name, "--json")
    assert result.exit_code == 3
    assert "set artifacts.url or pass --url" in result.output


def test_a_web_server_can_only_be_pulled_from(root: Path) -> None:
    result = artifacts(root, "list", "--url", "https://127.0.0.1:1/a")
    assert (result.exit_code, "can only be read" in result.output) == (2, True)


def test_a_dry_run_pushes_nothing(root: Path, url: str, tmp_path: Path) -> None:
    environ = {"SEARCHSOCKET__ARTIFACTS__URL": url}
    project = open_project(root, environ)
    plan_scope(ScopeRun(project, project.scope_named("main"), "plan", environ=environ))
    assert not (tmp_path / "objects").exists()


def test_clean_deletes_what_was_pulled(root: Path, url: str, tmp_path: Path) -> None:
    generation = index(root, url)
    reader = tmp_path / "reader"
    reader.mkdir()
    pulled = printed(artifacts(reader, "pull", "--url", url, "--json"))
    assert (pulled["project"], pulled["generation"]) == ("harbour", generation)
    assert Path(pulled["path"]).is_relative_to(reader / ".searchsocket")
    cleaned = printed(CliRunner().invoke(cli, ["clean", "--yes", "--json", "--project", str(reader)]))
    assert cleaned["deleted"] == [str(reader / ".searchsocket" / "artifacts")]
    assert not Path(pulled["path"]).exists()


def test_a_pull_into_a_folder_that_others_may_not_enter(root: Path, url: str, tmp_path: Path) -> None:
    """As with a local index, users who may read the state folder may read the site."""
    index(root, url)
    reader = tmp_path / "reader"
    reader.mkdir()
    printed(artifacts(reader, "pull", "--url", url, "--json"))
    assert (reader / ".searchsocket").stat().st_mode & 0o777 == 0o700
