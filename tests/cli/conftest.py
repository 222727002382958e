"""A small project, and the command run over it in this process."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from runner_types import RunCli, RunJson
from small_site import write_site

from searchsocket.cli.main import cli


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return write_site(tmp_path / "harbour")


@pytest.fixture(scope="session")
def indexed_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that `searchsocket index` went over once; copied by tests that change it."""
    root = write_site(tmp_path_factory.mktemp("indexed") / "harbour")
    result = CliRunner().invoke(cli, ["index", "--project", str(root)])
    assert result.exit_code == 0, result.output
    return root


@pytest.fixture
def indexed(indexed_site: Path, tmp_path: Path) -> Path:
    """A copy, without the searches of tests that only read the original."""
    searches = shutil.ignore_patterns("searched.jsonl")
    return shutil.copytree(indexed_site, tmp_path / "indexed" / "harbour", ignore=searches)


@pytest.fixture
def run(site: Path) -> RunCli:
    """Run a command over the site that was not indexed yet; `project` names another one."""

    def invoke(command: str, *arguments: str, project: Path = site, **options: Any) -> Result:
        return CliRunner().invoke(cli, [command, *arguments, "--project", str(project)], **options)

    return invoke


@pytest.fixture
def run_json(run: RunCli) -> RunJson:
    """Run a command with `--json` and read the one object that it prints."""

    def invoke(command: str, *arguments: str, **options: Any) -> Any:
        result = run(command, *arguments, "--json", **options)
        (line,) = result.stdout.splitlines()
        return json.loads(line)

    return invoke
