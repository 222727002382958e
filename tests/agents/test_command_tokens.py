"""Every command that prints text takes how many tokens it may be, and says how to go on."""

import json
from typing import Any

import pytest
from click.testing import CliRunner

from searchsocket.cli.main import cli
from searchsocket.project.project import Project

COMMANDS: dict[str, tuple[list[str], str, str, str]] = {  # arguments, list, token, option that takes it
    "search": (["battery", "--top-k", "5"], "results", "continuationToken", "--continue"),
    "find": (["the"], "occurrences", "continuation", "--continuation"),
    "ask": (["What does the battery do?", "--limit", "4"], "passages", "continuationToken", "--continue"),
    "code search": (["step", "--limit", "6"], "results", "continuationToken", "--continue"),
    "code find": (["value", "--limit", "1000"], "occurrences", "continuation", "--continuation"),
    "code related": (["src/steps.py:1"], "code", "continuationToken", "--continue"),
}


def named(result: dict[str, Any]) -> list[Any]:
    """Return the fields that identify a result; ages differ from call to call."""
    return [result.get(name) for name in ("href", "file", "line", "lines", "marks", "text")]


def printed(project: Project, command: str, *arguments: str) -> str:
    result = CliRunner().invoke(cli, [*command.split(), *arguments, "--project", str(project.root)])
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_a_long_answer_continues_with_its_token(agent_project: Project, command: str) -> None:
    """Whole, in the order of the whole answer, none twice and none missed."""
    arguments, results, token, option = COMMANDS[command]

    def answer(*more: str) -> Any:
        return json.loads(printed(agent_project, command, *arguments, *more, "--json"))

    whole = answer()
    assert not whole.get("truncated")
    part = answer("--max-tokens", "200")
    assert part["truncated"]
    assert f"more with {option} " in printed(agent_project, command, *arguments, "--max-tokens", "200")
    result = part[results]
    for _ in range(200):
        if not part.get(token):
            break
        part = answer("--max-tokens", "2000", option, part[token])
        result += part[results]
    assert list(map(named, result)) == list(map(named, whole[results]))


def test_lines_that_do_not_fit_are_named(agent_project: Project) -> None:
    output_lines = printed(agent_project, "code fetch", "src/steps.py", "--max-tokens", "200").splitlines()
    last = int(output_lines[-2].partition("|")[0])
    assert output_lines[-1] == f"more: src/steps.py:{last + 1}-120"
    rest = printed(agent_project, "code fetch", output_lines[-1].removeprefix("more: "))
    whole = printed(agent_project, "code fetch", "src/steps.py")
    assert "\n".join(output_lines[:-1]) + "\n" + rest == whole


def test_a_generation_that_is_not_live_has_no_parts(agent_project: Project) -> None:
    arguments = ["search", "battery", "--generation", "previous", "--max-tokens", "200", "--project"]
    assert "remove --generation" in CliRunner().invoke(cli, [*arguments, str(agent_project.root)]).output
