"""Commands made from capabilities: the fields of the request are the options, the answer is printed as text or JSON."""

import os
from collections.abc import Iterator, Mapping
from typing import Any

import click
from pydantic import ValidationError

from searchsocket.cli.commands import COMMANDS
from searchsocket.cli.options import WholeNumber, json_option, load_project, scope_options
from searchsocket.cli.output import warn
from searchsocket.cli.results import print_answer
from searchsocket.serving.answers import text_lines
from searchsocket.serving.capabilities.all_capabilities import CAPABILITIES
from searchsocket.serving.capabilities.base import SHELL, AnyCapability
from searchsocket.serving.services import open_services
from searchsocket.system.json_text import JsonObject
from searchsocket.text.mistakes import explain_mistake


def __getattr__(name: str) -> click.Command:
    """The command of the capability whose tool has this name.

    Raises:
        AttributeError: There is no such capability.
    """
    capability = next((each for each in CAPABILITIES if each.agent and each.agent.name == name), None)
    if capability is None:
        raise AttributeError(name)
    return _command(capability, name)


def _command(capability: AnyCapability, name: str) -> click.Command:
    def run(root: Any, scope_name: str | None, as_json: bool, **values: Any) -> None:
        services = open_services(load_project(root), os.environ, on_error=warn)
        answer = capability.run(services, _request(capability, scope_name, values), SHELL)
        print_answer(answer, text_lines(answer), as_json=as_json)

    summary = COMMANDS.described()[name].summary
    command = click.command(name, help=summary)(scope_options(json_option(run)))
    command.params = [*_parameters(capability), *command.params]
    return command


def _request(capability: AnyCapability, scope: str | None, values: Mapping[str, Any]) -> Any:
    stated = {name: " ".join(value) if isinstance(value, tuple) else value for name, value in values.items()}
    try:
        return capability.request.model_validate(
            {name: value for name, value in {**stated, "scope": scope}.items() if value not in (None, "")}
        )
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise click.UsageError(f"{'.'.join(map(str, first['loc']))}: {explain_mistake(first)}") from error


def _parameters(capability: AnyCapability) -> Iterator[click.Parameter]:
    """The required text as the argument, the other fields as options."""
    schema = capability.request.model_json_schema(by_alias=False)
    required = schema.get("required", ())
    for name, field in schema["properties"].items():
        if name == "scope":
            continue
        if name in required:
            yield click.Argument([name], nargs=-1, required=True)
        else:
            yield _option(name, field)


def _option(name: str, field: JsonObject) -> click.Option:
    kind: JsonObject = next((each for each in field.get("anyOf", [field]) if each.get("type") != "null"), field)
    flag, about = f"--{name.replace('_', '-')}", field.get("description", "")
    match kind.get("type"):
        case "boolean":
            return click.Option([flag], is_flag=True, help=about)
        case "integer":
            least, most = kind.get("minimum", 0), kind.get("maximum", 1_000_000)
            return click.Option([flag], type=WholeNumber(least, most), help=about)
        case _:
            return click.Option([flag], default=None, help=about)
