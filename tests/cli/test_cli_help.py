"""What `--help` looks like on a terminal of 80 columns."""

import json
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from searchsocket.cli.main import cli

COLUMNS = 80


def commands(group: click.Group = cli, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every group and command, by its words."""
    yield path
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name)


def help_of(path: tuple[str, ...]) -> str:
    done = CliRunner().invoke(cli, [*path, "--help"], terminal_width=COLUMNS, prog_name="searchsocket")
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.parametrize("path", list(commands()), ids=" ".join)
def test_every_summary_fits_its_line(path: tuple[str, ...]) -> None:
    text = help_of(path)
    summaries = text.partition("Commands:\n")[2]
    assert "..." not in summaries
    description = text.partition("Example:")[0].partition("\n\n")[2]
    assert description.splitlines()[0].endswith(".")
    assert all(len(line) <= COLUMNS for line in f"{description}\n{summaries}".splitlines())


def test_exit_codes_stand_in_the_overview_and_nowhere_else() -> None:
    assert [path for path in commands() if "Exit status:" in help_of(path)] == [()]


@pytest.mark.parametrize("line", ["search rope --top-q 3", "serach", "clean --scoop main", "search"])
def test_wrong_usage_is_json_too_where_json_is_asked_for(line: str) -> None:
    wrong = CliRunner().invoke(cli, [*line.split(), "--json"])
    error = json.loads(wrong.stdout)["error"]
    assert (wrong.exit_code, error["code"], wrong.stderr) == (2, "INVALID_REQUEST", "")
    assert error["message"]
