"""A command that is made from a capability: its options are the fields of the request."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from small_site import write_site

from searchsocket.cli import capability_commands, commands
from searchsocket.cli.main import cli
from searchsocket.extensions.base import Command


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    listed = commands.COMMANDS.described() | {"related": Command(summary="Show related pages.")}  # type: ignore[operator]
    monkeypatch.setattr(commands.COMMANDS, "described", lambda: listed)
    root = write_site(tmp_path)
    assert CliRunner().invoke(cli, ["index", "--project", str(root)]).exit_code == 0
    return root


def test_fields_are_options_and_the_answer_is_text_or_json(root: Path) -> None:
    command = capability_commands.related  # type: ignore[attr-defined]
    page = ["/about", "--project", str(root), "--top-k", "1"]
    text = CliRunner().invoke(command, page).output
    data = json.loads(CliRunner().invoke(command, [*page, "--json"]).output)
    assert len(data["results"]) == 1
    assert f"  - url: {data['results'][0]['url']}" in text.splitlines()
    assert f"scope: {data['scope']}" in text.splitlines()


@pytest.mark.parametrize("arguments", [[], ["/about", "--top-k", "0"], ["/about", "--top-k", "many"]])
def test_bounds_of_the_request_are_those_of_the_options(root: Path, arguments: list[str]) -> None:
    result = CliRunner().invoke(capability_commands.related, [*arguments, "--project", str(root)])  # type: ignore[attr-defined]
    assert result.exit_code == 2


def test_its_help_has_the_summary_and_the_descriptions(root: Path) -> None:
    output = CliRunner().invoke(capability_commands.related, ["--help"]).output  # type: ignore[attr-defined]
    assert "Show related pages." in output
    assert "--max-tokens" in output
