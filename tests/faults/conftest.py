"""A project to damage: a small one after `index`."""

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from fault_site import Project
from small_site import write_site

from searchsocket.cli.main import cli


def command(root: Path, name: str, *arguments: str) -> Result:
    return CliRunner().invoke(cli, [name, *arguments, "--project", str(root)])


@pytest.fixture(scope="session")
def indexed_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two generations by the real command, so that there is a Dagster home and something to roll back to."""
    root = write_site(tmp_path_factory.mktemp("faults") / "harbour")
    assert command(root, "index").exit_code == 0
    return root


@pytest.fixture
def project(indexed_once: Path, tmp_path: Path) -> Project:
    return Project(shutil.copytree(indexed_once, tmp_path / "harbour"))
