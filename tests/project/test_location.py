"""The project of a folder inside it."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from searchsocket.cli.main import cli
from searchsocket.project.location import is_no_project, project_here


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "repository/.git").mkdir(parents=True)
    (tmp_path / "repository/packages/docs/src").mkdir(parents=True)
    return tmp_path / "repository"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("searchsocket.toml", ""),
        ("pyproject.toml", "[tool.searchsocket.code]\nenable = true\n"),
        (".searchsocket/state.db", ""),
    ],
)
def test_a_subfolder_belongs_to_the_configured_folder_above_it(repository: Path, name: str, text: str) -> None:
    """A question from `src` is about the project around it, as with git."""
    file = repository / "packages/docs" / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    assert project_here(repository / "packages/docs/src") == repository / "packages/docs"


def test_the_nearest_configured_folder_is_the_project(repository: Path) -> None:
    """A package of a monorepo with its own settings is a project of its own."""
    for folder in (repository, repository / "packages/docs"):
        (folder / "searchsocket.toml").touch()
    assert project_here(repository / "packages/docs/src") == repository / "packages/docs"
    assert project_here(repository / "packages") == repository


@pytest.mark.parametrize("text", ["[tool.ruff]\nline-length = 120 # as searchsocket has\n", "[tool.searchsocket"])
def test_a_pyproject_without_the_table_configures_nothing(repository: Path, text: str) -> None:
    """The word alone, or a file that is not TOML, is no configuration."""
    (repository / "pyproject.toml").write_text(text)
    assert project_here(repository / "packages") == repository / "packages"


def test_settings_outside_of_the_repository_do_not_count(repository: Path) -> None:
    """A folder above may belong to somebody else, whose settings would name servers and files."""
    (repository.parent / "searchsocket.toml").touch()
    (repository.parent / "loose/deep").mkdir(parents=True)
    assert project_here(repository / "packages") == repository / "packages"
    assert project_here(repository.parent / "loose/deep") == repository.parent / "loose/deep"


def test_commands_find_the_project_from_a_subfolder(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--project` defaults to the project around the current folder; `init` makes one of the current folder."""
    (repository / "searchsocket.toml").write_text("[project]\nid = 'harbour'\n")
    monkeypatch.chdir(repository / "packages")
    assert "harbour" in CliRunner().invoke(cli, ["config", "show"]).output
    assert CliRunner().invoke(cli, ["code", "init", "--quiet"]).exit_code == 0
    assert (repository / "packages/searchsocket.toml").is_file()


def test_a_folder_that_was_deleted_is_named_as_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error was "cannot read or write: No such file or directory"."""
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    for command in (["search", "x"], ["index"], ["mcp"], ["code", "sync"], ["serve"]):
        result = CliRunner().invoke(cli, command)
        assert (result.exit_code, "the current folder was deleted" in result.output) == (3, True), result.output


@pytest.mark.parametrize("command", ["sync", "status"])
def test_a_home_folder_is_not_indexed_by_accident(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """Agents start servers there, and it contains caches and keys; with settings it is a project like any other."""
    (tmp_path / "notes.py").write_text("def remember(thing):\n    return [thing, 'for as long as somebody asks']\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    refused = CliRunner().invoke(cli, ["code", command])
    assert (refused.exit_code, "is not a project" in refused.output) == (3, True), refused.output
    (tmp_path / "searchsocket.toml").touch()
    assert CliRunner().invoke(cli, ["code", command]).exit_code == 0


def test_the_root_of_a_disk_is_no_project() -> None:
    """Desktop applications start there."""
    assert is_no_project(Path(Path.cwd().anchor))
