"""A value outside of its bounds is explained in our own words, for every setting, option and golden query."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from pydantic import BaseModel, ValidationError

from searchsocket.cli.main import cli
from searchsocket.errors import ConfigError
from searchsocket.project.settings.load import load_settings
from searchsocket.project.settings.model import Settings
from searchsocket.quality.golden import read_golden
from searchsocket.text.mistakes import explain_mistake

# Sentences of pydantic, pydantic-core and click.
LIBRARY = re.compile(
    r"Input |should (?:be|have|match)|Value error|Field required|Extra inputs|at (?:least|most) \d+ (?:item|char)"
    r"|not in the range|is not a valid|validation error"
)
LONG = ["x"] * 2_000


def leaves(model: type[BaseModel], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, field in model.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from leaves(kind, (*path, name))
        else:
            yield (*path, name)


KEYS = [*leaves(Settings)]
VALUES: list[Any] = [
    -1, -(10**9), 10**30, 1.5, float("inf"), "", "x" * 5_000, "?", True, None, [], LONG, [1], [[]], {}, {"": 1},
    {"a": []},
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS, ids=".".join)
def test_every_bound_of_a_setting_is_explained(key: tuple[str, ...]) -> None:
    """Each value of the list is refused by some setting; what refuses it never speaks itself."""
    for value in VALUES:
        data: Any = value
        for name in reversed(key):
            data = {name: data}
        try:
            Settings.model_validate(data)
        except ValidationError as error:
            for detail in error.errors():
                sentence = explain_mistake(detail)
                assert sentence != "is not valid", detail["type"]
                assert not LIBRARY.search(sentence), sentence


def commands(group: click.Group) -> Iterator[click.Command]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield from commands(command) if isinstance(command, click.Group) else [command]


def test_every_bound_of_an_option_is_explained() -> None:
    options = [option for command in commands(cli) for option in command.params]
    bounded = [option for option in options if isinstance(option.type, click.IntRange | click.FloatRange)]
    assert len(bounded) > 20
    for option in bounded:
        low, high = option.type.min, option.type.max
        for value in ("x", "" if low is None else str(low - 1), "" if high is None else str(high + 1)):
            if value:
                with pytest.raises(click.BadParameter, match="must be a (?:whole )?number") as caught:
                    option.type.convert(value, option, None)
                assert not LIBRARY.search(caught.value.message)


def message_of(path: Path) -> str:
    try:
        read_golden(path)
    except ConfigError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("key", ["query", "expect", "must_not", "tags", "scope", "k", "corpus"])
def test_every_bound_of_a_golden_query_is_explained(tmp_path: Path, key: str) -> None:
    path = tmp_path / "golden-queries.toml"
    texts = [
        json.dumps(value) for value in VALUES if value not in (None, {"": 1}, {"a": []}, {}) and value != float("inf")
    ]
    for text in [*texts, "inf"]:
        path.write_text(
            f"[[query]]\nquery = 'a'\n{key} = {text}\n" if key != "query" else f"[[query]]\nquery = {text}\n"
        )
        assert not LIBRARY.search(message_of(path)), text


def test_a_bound_that_protects_visitors_says_so(tmp_path: Path) -> None:
    (tmp_path / "searchsocket.toml").write_text("[demand]\nmin_visitors = 1\n")
    with pytest.raises(ConfigError, match="must be 2 or more, so that no single visitor can be recognised"):
        load_settings(tmp_path, {})
