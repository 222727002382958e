"""`code search --q` and `code fetch --ids`: the spelling of the line protocol works on the command line too."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from searchsocket.cli.main import cli
from searchsocket.extensions.code.chunk_ids import ChunkIds
from searchsocket.extensions.code.home import code_home
from searchsocket.project.project import open_project
from tests.extensions.code.code_project import CodeProject


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = CodeProject(tmp_path_factory.mktemp("code") / "robot")
    project.index()
    return project.root


def run(root: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["code", *arguments, "--project", str(root), "--json"])


def found_ids(root: Path) -> list[str]:
    return [result["id"] for result in json.loads(run(root, "search", "--q", "verifyToken").stdout)["results"]]


def test_q_is_the_query(root: Path) -> None:
    assert json.loads(run(root, "search", "--q", "verifyToken").stdout)["results"][0]["symbol"] == "verifyToken"
    assert run(root, "search", "--q", "a", "b").exit_code == 2
    assert run(root, "search").exit_code == 2


@pytest.mark.parametrize("spelling", ["{0},{1}", "[{0}, {1}]", '["{0}", "{1}"]', "{0} {1}"])
def test_ids_are_a_list(root: Path, spelling: str) -> None:
    ids = found_ids(root)[:2]
    fetched = json.loads(run(root, "fetch", "--ids", spelling.format(*ids)).stdout)["fetched"]
    assert fetched == json.loads(run(root, "fetch", "--id", ids[0], "--id", ids[1]).stdout)["fetched"]


def test_numbers_of_the_line_protocol_are_ids_too(root: Path) -> None:
    ids = found_ids(root)[:2]
    numbers = ChunkIds(code_home(open_project(root, {})).state_dir).of("main", ids)
    fetched = json.loads(run(root, "fetch", "--ids", json.dumps(numbers)).stdout)["fetched"]
    assert fetched == json.loads(run(root, "fetch", "--ids", ",".join(ids)).stdout)["fetched"]
    unknown = run(root, "fetch", "--ids", "[1]")
    assert "unknown chunk id 1: search again" in unknown.stdout
