"""Naming the server in the files of clients: shown first, merged, and done once."""

import json
import os
import re
import sys
import tomllib
from pathlib import Path
from typing import Any, get_args

import pytest
from click.testing import CliRunner, Result

from searchsocket.agents.clients import CLIENTS, OF_THE_USER, ClientName, Machine, target_of
from searchsocket.cli.main import cli
from searchsocket.cli.mcp import install as command
from searchsocket.errors import ConfigError
from tests.agents.test_agent_stdio import git
from tests.extensions.code.code_project import FILES
from tests.extensions.code.trees import grow

SECRET = '{\n    "mcpServers": {"other": {"command": "x", "env": {"KEY": "v"}}},\n    "theme": "dark"\n}\n'


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("CODEX_HOME", "XDG_CONFIG_HOME", "APPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "searchsocket.toml").write_text('[project]\nid = "@a/site"\n')
    return tmp_path / "home"


def install(home: Path, client: str, *arguments: str, **options: Any) -> Result:
    line = ["mcp", "install", "--client", client, "--project", str(home.parent / "site"), "--command", "searchsocket"]
    return CliRunner().invoke(cli, [*line, *arguments], **options)


def test_a_user_without_a_home_folder_is_told_so(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Containers run under an id that has no entry in `/etc/passwd`."""

    def fail() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", fail)
    result = install(home, "claude-code")
    assert (result.exit_code, "set HOME" in result.output) == (3, True), result.output


def test_client_settings_that_begin_with_a_mark_are_read(home: Path) -> None:
    """Windows' editors write a byte order mark before UTF-8."""
    path = target(home, "cursor").path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(SECRET, encoding="utf-8-sig")
    assert install(home, "cursor", input="y\n").exit_code == 0
    assert read(path)["mcpServers"].keys() >= {"other"}


def read(path: Path) -> dict[str, Any]:
    text = path.read_text()
    data: dict[str, Any] = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    return data


def target(home: Path, client: ClientName) -> Any:
    machine = Machine(home, "linux", {})
    return target_of(client, (home.parent / "site").resolve(), "@a/site", ["searchsocket"], machine)


@pytest.mark.parametrize("client", CLIENTS)
def test_each_client_finds_the_server_where_it_looks(home: Path, client: ClientName) -> None:
    expected = target(home, client)
    assert install(home, client, "--yes").exit_code == 0
    entry = read(expected.path)[expected.section][expected.name]
    assert entry["command"] == "searchsocket"
    assert entry["args"][0] == "mcp"
    is_shared = expected.path.is_relative_to(home.parent / "site")
    assert is_shared or entry["args"][1:] == ["--project", str(home.parent / "site")]
    before = expected.path.read_bytes()
    again = install(home, client, "--yes")
    assert "nothing to do" in again.stdout
    assert expected.path.read_bytes() == before


def test_all_else_in_the_file_stays(home: Path) -> None:
    path = target(home, "claude-code").path
    path.write_text(SECRET)
    path.chmod(0o600)
    assert install(home, "claude-code", "--yes").exit_code == 0
    content = read(path)
    assert (content["theme"], content["mcpServers"]["other"]["env"]) == ("dark", {"KEY": "v"})
    assert "searchsocket" in content["mcpServers"]
    assert path.read_text().startswith('{\n    "mcpServers"')
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_table_of_an_older_command_is_replaced(home: Path) -> None:
    expected = target(home, "codex")
    expected.path.parent.mkdir(parents=True)
    expected.path.write_text(
        f'# mine\nmodel = "o"\n\n[mcp_servers.{expected.name}]\ncommand = "old"\nargs = []\n\n[other]\na = 1\n'
    )
    assert install(home, "codex", "--yes").exit_code == 0
    text = expected.path.read_text()
    assert text.startswith('# mine\nmodel = "o"')
    assert read(expected.path)["other"] == {"a": 1}
    assert '"old"' not in text


def test_it_is_shown_before_it_is_written(home: Path) -> None:
    path = target(home, "cursor").path
    refused = install(home, "cursor", input="n\n")
    assert refused.exit_code == 1
    assert '+    "searchsocket": {' in refused.stderr
    assert not path.exists()
    printed = install(home, "cursor", "--print")
    assert json.loads(printed.stdout)["mcpServers"]["searchsocket"]["args"] == ["mcp"]
    assert not path.exists()
    assert install(home, "cursor", input="y\n").exit_code == 0
    assert path.exists()


@pytest.mark.parametrize("text", ['{\n  // a comment\n  "a": 1\n}', "[]", '{"context_servers": []}'])
def test_a_file_that_is_not_understood_is_left_alone(home: Path, text: str) -> None:
    expected = target(home, "zed")
    expected.path.parent.mkdir(parents=True)
    expected.path.write_text(text)
    refused = install(home, "zed", "--yes")
    assert refused.exit_code == 2
    assert "was not changed. Add this by hand" in refused.stderr
    assert expected.path.read_text() == text


def test_toml_that_cannot_be_merged_is_refused(home: Path) -> None:
    expected = target(home, "codex")
    with pytest.raises(ConfigError, match="cannot edit safely"):
        expected.merged(f'mcp_servers = {{ {expected.name} = {{ command = "x" }} }}\n')


def test_the_command_offers_every_client_that_there_is() -> None:
    """It lists them itself, so that help need not load what knows them."""
    choice = next(param for param in command.params if param.name == "client").type
    assert tuple(choice.choices) == CLIENTS == get_args(ClientName)  # type: ignore[attr-defined]


def test_the_skill_names_offered_tools_alone(home: Path) -> None:
    result = CliRunner().invoke(cli, ["mcp", "skill", "--project", str(home.parent / "site")])
    assert result.stdout.startswith("---\nname: ")
    assert "`get_page`" in result.stdout
    assert "`search_code`" not in result.stdout


def test_a_file_of_the_project_names_nothing_of_this_machine(home: Path) -> None:
    """It is committed, and read on other machines."""
    line = ["mcp", "install", "--project", str(home.parent / "site"), "--print"]
    for client in CLIENTS:
        printed = CliRunner().invoke(cli, [*line, "--client", client])
        absolute = [word for word in re.findall(r'"([^"]*)"', printed.stdout) if Path(word).is_absolute()]
        assert bool(absolute) == (client in OF_THE_USER), printed.stdout


def test_a_command_that_is_nowhere_is_said_at_once(home: Path) -> None:
    line = ["mcp", "install", "--client", "cursor", "--project", str(home.parent / "site"), "--print"]
    assert "'no-such-thing' is not on PATH" in CliRunner().invoke(cli, [*line, "--command", "no-such-thing"]).stderr


def doctor(home: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["mcp", "doctor", "--project", str(home.parent / "site"), *arguments])


def test_the_doctor_starts_the_server_as_a_client_does(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    assert "no client has an entry; add one with `searchsocket mcp install" in doctor(home).stdout
    for client in ("claude-code", "vscode", "windsurf"):
        assert install(home, client, "--yes").exit_code == 0
    result = doctor(home)
    assert result.stdout.count("ok      tools    search, get_page, ask") == 3, result.output
    assert "BROKEN  answer   search: SCOPE_NOT_INDEXED: scope 'main' has no index yet; run" in result.stdout
    assert result.exit_code == 1


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("no-such-thing", "BROKEN command 'no-such-thing' is not on PATH"),
        (f"{sys.executable} -c 'raise SystemExit(\"no planks\")'", "BROKEN start no planks"),
    ],
)
def test_the_doctor_says_what_the_client_would_meet(home: Path, command: str, message: str) -> None:
    assert install(home, "cursor", "--yes", "--command", command).exit_code == 0
    result = doctor(home, "--client", "cursor", "--yes")
    assert message in " ".join(result.stdout.split()), result.output
    assert result.exit_code == 1


@pytest.mark.parametrize("client", sorted({*CLIENTS} - OF_THE_USER))
@pytest.mark.parametrize(
    "change",
    [
        {"command": "sh", "args": ["-c", "touch ran"]},
        {"env": {"PYTHONSTARTUP": "evil.py"}},
        {"args": ["mcp", "--project", "/elsewhere"]},
        {"command": "./searchsocket"},
    ],
    ids=["program", "variables", "arguments", "program of the project"],
)
def test_the_doctor_asks_before_it_starts_a_command_of_a_checkout(
    home: Path, monkeypatch: pytest.MonkeyPatch, client: ClientName, change: dict[str, object]
) -> None:
    """A clone may bring the file. Nobody answers here, so nothing starts."""
    root = home.parent / "site"
    monkeypatch.chdir(root)
    (root / "searchsocket").write_text("#!/bin/sh\ntouch ran\n")
    (root / "searchsocket").chmod(0o755)
    expected = target(home, client)
    expected.path.parent.mkdir(parents=True, exist_ok=True)
    expected.path.write_text(json.dumps({expected.section: {expected.name: {**expected.entry, **change}}}))
    result = doctor(home, "--client", client)
    assert "was not started; `mcp install` would write searchsocket mcp" in result.stdout, result.output
    assert "Start it?" in result.stderr
    assert result.exit_code == 1
    assert not (root / "ran").exists()


def test_the_doctor_names_a_file_that_nobody_can_read(home: Path) -> None:
    path = target(home, "claude-code").path
    path.write_text("{ // mine\n}")
    result = doctor(home)
    assert "BROKEN  file" in result.stdout
    assert "cannot be read" in result.stdout


@pytest.mark.parametrize("client", sorted(OF_THE_USER))
def test_a_server_of_the_list_names_no_project(home: Path, client: ClientName) -> None:
    """The server then has the project of the folder where it is started, and those of `mcp list`."""
    expected = target(home, client)
    assert install(home, client, "--listed", "--yes").exit_code == 0
    entry = read(expected.path)[expected.section]["searchsocket"]
    assert (entry["command"], entry["args"]) == ("searchsocket", ["mcp"])


def test_the_doctor_opens_the_projects_of_the_list(home: Path, tmp_path: Path) -> None:
    for name in ("harbour", "gone"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "searchsocket.toml").write_text(f'[project]\nid = "{name}"\n')
        assert CliRunner().invoke(cli, ["mcp", "add", str(tmp_path / name)]).exit_code == 0
    (tmp_path / "gone" / "searchsocket.toml").unlink()
    (tmp_path / "gone").rmdir()
    result = doctor(home)
    assert result.exit_code == 1
    assert re.search(r"^BROKEN  harbour  SCOPE_NOT_INDEXED: .*searchsocket index", result.stdout, re.MULTILINE)
    assert re.search(r"^BROKEN  gone  CONFIG_MISSING: .*searchsocket mcp remove gone", result.stdout, re.MULTILINE)


def test_the_doctor_opens_an_index_of_code_alone(home: Path, tmp_path: Path) -> None:
    robot = grow(tmp_path / "robot", FILES)
    git(robot, "init", "-q", "-b", "main")
    assert CliRunner().invoke(cli, ["code", "sync", "--project", str(robot)]).exit_code == 0
    assert CliRunner().invoke(cli, ["mcp", "add", str(robot)]).exit_code == 0
    assert re.search(r"^ok +robot  scope main: .*search_code", doctor(home).stdout, re.MULTILINE)
