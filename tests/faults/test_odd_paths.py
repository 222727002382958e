"""Folders whose names mean something in an address: SQLite and Dagster are given URLs."""

from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from fault_site import Project
from small_site import write_page, write_site

from search_api.app import create_app
from searchsocket.project.project import open_project

pytestmark = pytest.mark.dagster


@pytest.mark.parametrize("name", ["what?mode=memory", "100%41", "a%3Fb#c&d"])
def test_every_command_works_in_a_folder_with_an_odd_name(tmp_path: Path, name: str) -> None:
    """And everything lies there, nothing elsewhere."""
    project = Project(write_site(tmp_path / "sites" / name / "harbour"))
    for command, *arguments in (
        ("index",),
        ("index", "--scope", "preview"),
        ("search", "bowline"),
        ("status",),
        ("doctor",),
        ("clean", "--scope", "preview", "--yes"),
    ):
        result = project.command(command, *arguments)
        assert result.exit_code == 0, (command, result.output)
    with TestClient(create_app(open_project(project.root, {}), environ={}), base_url="http://127.0.0.1") as client:
        assert client.get("/api/search", params={"q": "bowline"}).json()["results"][0]["url"] == "/docs/ropes"
    write_page(project.root, "about", "About", "Now about submarines.")
    for command, *arguments in (("index",), ("rollback",), ("clean", "--yes")):
        result = project.command(command, *arguments)
        assert result.exit_code == 0, (command, result.output)
    assert [path.name for path in tmp_path.iterdir()] == ["sites"]
    assert [path.name for path in (tmp_path / "sites").iterdir()] == [name]
    assert not (project.state / "dagster").exists()


def test_the_ui_that_cannot_use_such_a_folder_says_so(tmp_path: Path) -> None:
    """Its processes are Dagster's own."""
    project = Project(write_site(tmp_path / "what?" / "harbour"))
    result = project.command("dagster")
    assert result.exit_code == 2
    assert "'?' or '%'; set DAGSTER_HOME" in result.output
