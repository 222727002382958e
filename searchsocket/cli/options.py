"""Options that several commands share."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from searchsocket.cli.log_lines import begin as begin_log_lines
from searchsocket.cli.log_lines import log_lines
from searchsocket.search.bounds import LEAST_MAX_TOKENS, MOST_MAX_TOKENS

if TYPE_CHECKING:
    from searchsocket.project.project import Project
    from searchsocket.project.settings.features import McpSettings

Named = tuple[str, tuple[str, ...]]


def each(name: str, values: tuple[str, ...]) -> tuple[Named, ...]:
    """A filter of several values of which one must be met; none where there are no values."""
    return ((name, values),) if values else ()


def named_filter(text: str) -> Named:
    """A filter of one value, from `name=value`."""
    name, mark, value = text.partition("=")
    if not mark:
        raise click.BadParameter(f"{text!r} is not NAME=VALUE", param_hint="--filter")
    return name, (value,)


F = TypeVar("F", bound=Callable[..., Any])
JSON_FLAG = "--json"
_JSON = "searchsocket.json"
_QUIET = "searchsocket.quiet"


def project_option(command: F) -> F:
    """`--project DIR`, given to the command as `root`."""
    return click.option(
        "--project",
        "root",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        default=Path(),
        metavar="DIR",
        help="Project folder; default: the current folder.",
    )(command)


def projects_option(description: str) -> Callable[[F], F]:
    """`--project DIR`, which may be repeated, given to the command as `roots`."""
    folder = click.Path(exists=True, file_okay=False, path_type=Path)
    return click.option("--project", "roots", multiple=True, type=folder, metavar="DIR", help=description)


def scope_option(command: F) -> F:
    """`--scope NAME`; without it the configured scope is meant."""
    return click.option(
        "--scope", "scope_name", metavar="NAME", help="Scope to use; default: from the [scope] settings."
    )(command)


def versions_option(command: F) -> F:
    """`--docs-version VERSION`, several times, given as `versions`; `--version` is that of the program."""
    return click.option(
        "--docs-version",
        "versions",
        multiple=True,
        metavar="VERSION",
        help="Search this version of the documentation, or all; repeat for several. Default: the newest release.",
    )(command)


def count_option(name: str, most: int, default: int, description: str) -> Callable[[F], F]:
    """An option for a number from 1 on."""
    return click.option(name, type=click.IntRange(1, most), default=default, show_default=True, help=description)


def tokens_option(command: F) -> F:
    """`--max-tokens N`, given as `max_tokens`; None means no bound but the number of results."""
    return click.option(
        "--max-tokens",
        type=click.IntRange(LEAST_MAX_TOKENS, MOST_MAX_TOKENS),
        metavar="N",
        help="Approximate maximum size of the text in tokens; results stay whole.",
    )(command)


def part_options(command: F) -> F:
    """`--max-tokens N`, and `--continue TOKEN` for what follows, given as `token`."""
    command = click.option(
        "--continue",
        "token",
        default="",
        metavar="TOKEN",
        help="Continue an answer, with the token that --max-tokens printed.",
    )(command)
    return tokens_option(command)


def json_option(command: F) -> F:
    """`--json`, given to the command as `as_json`; errors are then JSON too."""

    def remember(ctx: click.Context, _: click.Parameter, value: bool) -> bool:
        remember_json(ctx, value)
        return value

    return click.option(JSON_FLAG, "as_json", is_flag=True, callback=remember, help="Print one JSON object to stdout.")(
        command
    )


def quiet_option(command: F) -> F:
    """`--quiet`, which `output.say` and progress heed; for commands that do something rather than tell something."""

    def remember(ctx: click.Context, _: click.Parameter, value: bool) -> None:
        ctx.meta[_QUIET] = value

    return click.option("--quiet", is_flag=True, expose_value=False, callback=remember, help="Print only errors.")(
        command
    )


def log_format_option(command: F) -> F:
    """`--log-format json`: stderr is JSON lines, see `log_lines`; for commands that report progress."""

    def begin_lines(ctx: click.Context, _: click.Parameter, value: str) -> None:
        if value == "json" and not ctx.resilient_parsing:
            begin_log_lines(ctx)

    return click.option(
        "--log-format",
        type=click.Choice(["text", "json"]),
        default="text",
        expose_value=False,
        is_eager=True,
        callback=begin_lines,
        help="Format of messages; json: one object per line, on stderr.",
    )(command)


def is_quiet() -> bool:
    """Return True if the running command has --quiet."""
    ctx = click.get_current_context(silent=True)
    return bool(ctx and ctx.meta.get(_QUIET))


def remember_json(ctx: click.Context, value: bool) -> None:
    """Record that this command line has --json."""
    ctx.meta[_JSON] = value


def wants_json() -> bool:
    """Return True if the running command has --json."""
    ctx = click.get_current_context(silent=True)
    return bool(ctx and ctx.meta.get(_JSON))


def offer_options(command: F) -> F:
    """`--tools` and `--structured-content`: what coding agents are offered, and how they are answered."""
    command = click.option(
        "--structured-content", is_flag=True, help="Give agents answers as data too; default: mcp.structured_content."
    )(command)
    return click.option(
        "--tools", metavar="NAMES", help="Tools for agents: core, content, all, or their names; default: mcp.tools."
    )(command)


def offering(settings: "McpSettings", tools: str | None, *, structured_content: bool) -> "McpSettings":
    """The settings with what these options say instead.

    Raises:
        UsageError: There is no such tool.
    """
    from searchsocket.agents.offer import NAMES, SETS

    names = tuple(name.strip() for name in (tools or "").split(",") if name.strip())
    if unknown := [name for name in names if name not in NAMES and name not in SETS]:
        raise click.UsageError(f"--tools: no tool {unknown[0]!r}; known: {', '.join((*SETS, *NAMES))}")
    changes = {
        "tools": names or settings.tools,
        "structured_content": structured_content or settings.structured_content,
    }
    return settings.model_copy(update=changes)


def load_project(root: Path) -> "Project":
    """The project in `root`, with this process's environment."""
    from searchsocket.project.project import open_project

    project = open_project(root, os.environ)
    if log := log_lines():
        log.add_facts(project=project.id)
    return project
