"""The output of `--help` on a terminal of 80 columns."""

import importlib
import json
import pkgutil
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

import searchsocket.cli
from searchsocket.cli.commands import COMMANDS
from searchsocket.cli.main import cli
from searchsocket.extensions import extensions

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
    result = CliRunner().invoke(cli, [*path, "--help"], terminal_width=COLUMNS, prog_name="searchsocket")
    assert result.exit_code == 0, result.output
    return result.stdout


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


@pytest.mark.parametrize("name", COMMANDS)
def test_the_overview_says_what_a_command_says_of_itself(name: str) -> None:
    """Each is loaded when it is asked for; the overview knows its first sentence."""
    command = cli.commands[name]
    assert (command.name, command.get_short_help_str(COLUMNS)) == (name, COMMANDS.described()[name].summary)


def test_no_command_of_the_core_is_missing_in_the_overview() -> None:
    """A module of the command line that defines a command of its own name is one."""
    of_extensions = {name for extension in extensions() for name in extension.commands}
    modules = (name for _, name, _ in pkgutil.iter_modules(searchsocket.cli.__path__))
    results = {name for name in modules if isinstance(_named(name), click.Command)}
    assert results == set(cli.commands) - of_extensions


def _named(module: str) -> object:
    return getattr(importlib.import_module(f"searchsocket.cli.{module}"), module, None)


@pytest.mark.parametrize("words", ["--help", "--version", "completion bash", "search --help"])
def test_help_of_a_command_loads_no_other_command(words: str) -> None:
    """Bar: 0.1 s of CPU, of which a third is click."""
    program = (
        "import sys; from searchsocket.cli.main import cli\n"
        "cli(sys.argv[1:], standalone_mode=False)\n"
        "from searchsocket.cli.commands import COMMANDS\n"
        "places = {name: place.partition(':')[0] for name, place in COMMANDS.places().items()}\n"
        "print(*(name for name, place in places.items() if place in sys.modules))"
    )
    command = [sys.executable, "-c", program, *words.split()]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert set(result.stdout.splitlines()[-1].split()) <= {words.split()[0]}
