"""The documentation of settings, errors and commands matches the code."""

import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, get_args

import click
import pytest
from bs4 import Tag

from searchsocket.cli.exits import exit_status
from searchsocket.cli.main import cli
from searchsocket.cli.serve import DEFAULT_PORT
from searchsocket.errors import NoGenerationBefore, SearchSocketError
from searchsocket.models.rerankers.base import RerankerUnavailable
from searchsocket.project.settings.load import all_keys
from searchsocket.project.settings.model import EmbeddingProvider, Settings
from searchsocket.project.settings.source_kinds import source_modes
from tests.docs_pages import page, pages

ROOT = Path(__file__).parent.parent
SPEC = ROOT / "docs" / "spec.md"
COMMANDS = sorted(cli.commands)


def code_blocks(language: str) -> Iterator[tuple[str, str]]:
    """(page, text) of every code block in a language, on the whole site."""
    for name, soup in pages().items():
        for code in soup.select(f"pre code.language-{language}"):
            yield name, code.get_text()


def rows(path: str) -> Iterator[list[str]]:
    """Cells of every table row of a page, as text."""
    for row in page(path).select("tbody tr"):
        yield [cell.get_text() for cell in row.select("td")]


def defaults() -> dict[str, Any]:
    """Dotted key -> default, as JSON, which TOML writes alike for these types."""
    values = {}
    for key in all_keys():
        value: Any = Settings().model_dump(mode="json")
        for part in key.split("."):
            value = value[part]
        values[key] = value
    return values


def test_every_setting_is_documented_with_its_default() -> None:
    """Docs and code cannot drift (spec 7)."""
    documented_defaults = {cells[0]: cells[1] for cells in rows("docs/configuration/reference")}
    real = {key: "none" if value is None else json.dumps(value) for key, value in defaults().items()}
    assert documented_defaults == real


def test_settings_are_documented_in_the_order_of_the_code() -> None:
    assert [cells[0].split(".")[0] for cells in rows("docs/configuration/reference")] == [
        key.split(".")[0] for key in all_keys()
    ]


def test_toml_examples_use_real_keys_and_valid_values() -> None:
    """Every example of a configuration can be pasted (spec 7)."""
    examples = [tomllib.loads(text) for _, text in code_blocks("toml")]
    assert len(examples) >= 15
    for data in examples:
        Settings.model_validate_json(json.dumps(data.get("tool", {}).get("searchsocket", data)))


def test_the_port_and_the_default_embedder_are_those_of_the_code() -> None:
    """The README said port 8000, the specification that `hash` is the default and a trained model planned."""
    readme, spec = ((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/spec.md"))
    assert set(re.findall(r"127\.0\.0\.1:(\d+)", readme)) == {str(DEFAULT_PORT)}
    default = Settings().embeddings.provider
    assert re.findall(r"`(\w+)` \(default\): a", spec) == [default]
    assert f"| embeddings | `{default}`, local |" in spec
    for provider in get_args(EmbeddingProvider):
        assert f"`{provider}`" in spec.split("### 11.1 Providers", 1)[1].split("## 12.", 1)[0]
    for name in ("docs/architecture", "docs/limits"):
        assert not re.search(r"hashing embedder|trained (local )?(embedding )?model", page(name).get_text(" ")), name
    assert f"{default} is the default" in page("docs/indexing/embeddings").get_text()


def test_every_source_is_listed_and_has_a_page() -> None:
    listed = {cells[0] for cells in rows("docs/sources")}
    assert {*source_modes()} <= listed
    assert {name.removeprefix("docs/sources/") for name in pages() if name.startswith("docs/sources/")} == listed


def error_classes(base: type[SearchSocketError] = SearchSocketError) -> Iterator[type[SearchSocketError]]:
    yield base
    for kind in base.__subclasses__():
        if kind.__module__.startswith(("searchsocket", "search_api")):
            yield from error_classes(kind)


def test_every_error_code_is_documented_and_no_other() -> None:
    """Codes are public and stable (spec 14.2)."""
    documented_codes = {
        heading["id"]: heading.find(string=True) for heading in page("docs/troubleshooting").select("h3")
    }
    real = {kind.code for kind in error_classes()}
    assert RerankerUnavailable.code in real  # from a file of its own
    assert set(documented_codes.values()) == real
    assert all(anchor == str(code).lower() for anchor, code in documented_codes.items())


def test_safe_to_retry_is_said_of_the_errors_that_are() -> None:
    for kind in error_classes():
        heading = page("docs/troubleshooting").find(id=kind.code.lower())
        assert isinstance(heading, Tag)
        paragraph = heading.find_next("p")
        assert paragraph is not None
        assert ("Safe to retry" in " ".join(paragraph.get_text().split())) is kind.retryable, kind.code


def test_every_command_has_a_page_and_no_other() -> None:
    prefix = "docs/cli/searchsocket-"
    assert [name.removeprefix(prefix) for name in pages() if name.startswith(prefix)] == COMMANDS
    listed = [cells[0].removeprefix("searchsocket ") for cells in rows("docs/cli") if cells[0].startswith("searchs")]
    assert sorted(listed) == COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_of_a_command_is_on_its_page_and_no_other(name: str) -> None:
    """Options and docs cannot drift (spec 17)."""
    command = cli.commands[name]
    several = (command, *(command.commands.values() if isinstance(command, click.Group) else ()))
    params = [
        param for item in several for param in item.params if isinstance(param, click.Option) and not param.hidden
    ]
    real = {opt for param in params for opt in (*param.opts, *param.secondary_opts)}
    text = page(f"docs/cli/searchsocket-{name}").get_text(" ")
    missing = {option for option in real if not re.search(rf"{option}(?![\w-])", text)}
    assert not missing
    tables = {
        option for cells in rows(f"docs/cli/searchsocket-{name}") for option in re.findall(r"--[a-z-]+", cells[0])
    }
    assert tables <= real | {"--help"}


def test_every_command_that_takes_no_json_is_named() -> None:
    (shared,) = (cells[1] for cells in rows("docs/cli") if cells[0] == "--json")
    without = {
        f"{name} {below}".strip()
        for name, command in cli.commands.items()
        for below, one in getattr(command, "commands", {"": command}).items()
        if not any("--json" in param.opts for param in one.params)
    }
    assert set(re.split(r", | and ", shared.partition("not with ")[2])) == without


def test_exit_codes_are_documented() -> None:
    documented_codes = {int(cells[0]) for cells in rows("docs/cli") if cells[0].isdigit()}
    real = {exit_status(kind.code) for kind in error_classes()} | {0}
    assert real <= documented_codes


def commands_in(text: str) -> Iterator[list[str]]:
    """Arguments of each `searchsocket ...` call of a shell script."""
    for line in text.replace("\\\n", " ").splitlines():
        if not re.search(r"(?<![\w/.-])searchsocket ", line):
            continue
        lexer = shlex.shlex(line.replace("2>", ">"), posix=True, punctuation_chars="|&;<>")
        lexer.whitespace_split = True
        for is_operator, words in groupby(lexer, lambda word: word[0] in "|&;<>"):
            called = list(words)
            if not is_operator and "searchsocket" in called and "install" not in called[: called.index("searchsocket")]:
                called = called[called.index("searchsocket") + 1 :]
                if not any(word.startswith("[") for word in called):  # a synopsis
                    yield called


def shell_examples() -> Iterator[tuple[str, list[str]]]:
    for where, text in [*code_blocks("bash"), *code_blocks("yaml")]:
        for words in commands_in(text):
            yield where, words
    for name in ("README.md", "docs/architecture.md"):
        if (ROOT / name).exists():
            for block in re.findall(
                r"```(?:bash|sh|console)\n(.*?)```", (ROOT / name).read_text(encoding="utf-8"), re.S
            ):
                for words in commands_in(re.sub(r"^\$ ", "", block, flags=re.M)):
                    yield name, words


def test_command_examples_are_accepted_by_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command shown can be typed: its name, options and values exist."""
    monkeypatch.chdir(tmp_path)
    for folder in ("apps/docs", "apps/blog"):
        (tmp_path / folder).mkdir(parents=True)
    examples = list(shell_examples())
    assert len(examples) >= 40
    for where, words in examples:
        if words[0] in ("--help", "--version"):
            continue
        assert words[0] in cli.commands, (where, words)
        try:
            cli.commands[words[0]].make_context(words[0], list(words[1:]))
        except click.UsageError as error:
            pytest.fail(f"{where}: searchsocket {shlex.join(words)}: {error.format_message()}")


def test_the_specification_says_planned_of_nothing() -> None:
    """A reader who judges the product by it counts as missing what it calls planned."""
    assert "planned" not in (ROOT / "docs" / "spec.md").read_text(encoding="utf-8").lower()


def test_the_extras_of_the_install_page_are_those_of_the_package() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    page = (ROOT / "examples/docs-site/src/content/docs/install.md").read_text(encoding="utf-8")
    listed = page.partition("| extra | adds |")[2].partition("\n\n")[0]
    first_column = " ".join(row.split("|")[1] for row in listed.splitlines() if row.startswith("|"))
    assert set(re.findall(r"`(\w+)`", first_column)) == set(extras)


def test_the_rollback_page_names_the_error_of_a_rollback() -> None:
    page = (ROOT / "examples/docs-site/src/content/indexing/publishing/rollback.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\[`([A-Z_]+)`\]", page.partition("## If there is no previous generation")[2])) == {
        NoGenerationBefore.code
    }
