"""The files in `deploy/`: their commands, settings, probes and copied files exist."""

import fnmatch
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from api_client import Api

from searchsocket.cli.main import cli
from searchsocket.project.project import open_project

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
DOCKERFILES = sorted(DEPLOY.glob("*.Dockerfile"))
MANIFESTS = [
    document for path in (DEPLOY / "kubernetes").glob("*.yaml") for document in yaml.safe_load_all(path.read_text())
]
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
PROBES = r"/api/[a-z]+"


def nested(value: Any) -> Iterator[tuple[str, Any]]:
    """Every key and value of a document."""
    for key, child in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield str(key), child
        yield from nested(child)


def commands() -> Iterator[list[str]]:
    """The arguments of each call of searchsocket."""
    for path in DOCKERFILES:
        entry = re.search(r"^ENTRYPOINT (.*)", path.read_text(), re.M)
        if command := re.search(r"^CMD (.*)", path.read_text(), re.M):
            yield [*(json.loads(entry[1]) if entry else []), *json.loads(command[1])]
    for path in (DEPLOY / "systemd").glob("*.service"):
        line = shlex.split(path.read_text().partition("ExecStart=")[2].partition("\n")[0])
        yield ["searchsocket", *line[1:]]
    for service in COMPOSE["services"].values():
        yield service.get("command", [])
    for key, arguments in nested(MANIFESTS):
        if key == "args":
            yield ["searchsocket", *arguments] if arguments[0] == "serve" else arguments


CALLS = sorted({tuple(call[1:]) for call in commands() if call and call[0] == "searchsocket"})


def test_the_commands_of_all_kinds_of_files_are_seen() -> None:
    assert {call[0] for call in CALLS} == {"index", "serve"}
    assert len(CALLS) >= 4


@pytest.mark.parametrize("call", CALLS, ids=" ".join)
def test_a_command_has_these_options(call: tuple[str, ...]) -> None:
    command = cli.get_command(click.Context(cli), call[0])
    assert command is not None
    command.make_context(call[0], list(call[1:]))


def settings() -> Iterator[tuple[str, str]]:
    """The variables for settings, with their values."""
    for key, value in nested([COMPOSE, *MANIFESTS]):
        if key.startswith("SEARCHSOCKET__"):
            yield key, value
        elif isinstance(value, str) and value.startswith("SEARCHSOCKET__"):
            name, _, text = value.partition("=")
            yield name, text


def test_variables_are_settings(tmp_path: Path) -> None:
    environ = dict(settings())
    assert len(environ) >= 3
    open_project(tmp_path, environ)


@pytest.mark.parametrize("path", DOCKERFILES, ids=lambda path: path.name)
def test_copied_files_exist_and_are_sent_to_the_builder(path: Path) -> None:
    included_paths = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    copies = re.findall(r"^COPY (?!--from)(?:--\S+ )?(.*) \S+$", path.read_text(), re.M)
    names = [name for copy in copies for name in copy.split()]
    assert len(names) > 4
    for name in names:
        assert (ROOT / name).exists(), name
        assert any(fnmatch.fnmatch(name, pattern) for pattern in included_paths), name


def test_probes_are_answered(api: Api) -> None:
    texts = [path.read_text() for path in DEPLOY.rglob("*") if path.is_file()]
    paths = {path for text in texts for path in re.findall(PROBES, text)}
    assert paths == {"/api/live", "/api/ready"}
    assert [api.get(path).status_code for path in sorted(paths)] == [200, 200]


def test_dagster_loads_the_definitions_that_the_image_names() -> None:
    [module] = re.findall(r'"--module-name", "([\w.]+)"', (DEPLOY / "dagster.Dockerfile").read_text())
    values = yaml.safe_load((DEPLOY / "kubernetes/dagster-values.yaml").read_text())
    [deployment] = values["dagster-user-deployments"]["deployments"]
    workspace = yaml.safe_load((ROOT / "workspace.yaml").read_text())["load_from"][0]["python_module"]
    assert deployment["codeServerArgs"][1] == module == workspace["module_name"]
    [server] = yaml.safe_load((DEPLOY / "dagster/workspace.yaml").read_text())["load_from"]
    assert server["grpc_server"]["location_name"] == workspace["location_name"]
    assert server["grpc_server"]["host"] in COMPOSE["services"]
