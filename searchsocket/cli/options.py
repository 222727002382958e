"""Options that several commands share."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, get_args

import click

from searchsocket.cli.log_lines import begin as begin_log_lines
from searchsocket.cli.log_lines import log_lines
from searchsocket.search.bounds import LEAST_MAX_TOKENS, MOST_MAX_TOKENS

if TYPE_CHECKING:
    from searchsocket.project.project import Project
    from searchsocket.project.settings.features import McpSettings

Named = tuple[str, tuple[str, ...]]


def each(name: str, values: tuple[str, ...]) -> tuple[Named, ...]:
    """Return a filter for any of several values; no filter without values."""
    return ((name, values),) if values else ()


def named_filter(text: str) -> Named:
    """Return a filter for one value, from `name=value`."""
    name, mark, value = text.partition("=")
    if not mark:
        raise click.BadParameter(f"{text!r} is not NAME=VALUE", param_hint="--filter")
    return name, (value,)


F = TypeVar("F", bound=Callable[..., object])
JSON_FLAG = "--json"
_JSON = "searchsocket.json"
_QUIET = "searchsocket.quiet"


def project_option(command: F) -> F:
    """Add `--project DIR` as the parameter `root`."""
    return click.option(
        "--project",
        "root",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        default=Path(),
        metavar="DIR",
        help="Project folder; default: the current folder.",
    )(command)


def projects_option(description: str) -> Callable[[F], F]:
    """Add `--project DIR`, which may be repeated, as the parameter `roots`."""
    folder = click.Path(exists=True, file_okay=False, path_type=Path)
    return click.option("--project", "roots", multiple=True, type=folder, metavar="DIR", help=description)


def scope_option(command: F) -> F:
    """Add `--scope NAME`; the default is the configured scope."""
    return click.option(
        "--scope", "scope_name", metavar="NAME", help="Scope to use; default: from the [scope] settings."
    )(command)


def pages_options(command: F) -> F:
    """Add the options that select pages: `path_prefix`, `tags`, `languages`, facets as `named`, and `versions`.

    `--version` is the program's version.
    """
    for option in (
        click.option(
            "--docs-version",
            "versions",
            multiple=True,
            metavar="VERSION",
            help="Search this version of the documentation, or all; repeat for several. Default: the newest release.",
        ),
        click.option(
            "--filter",
            "named",
            multiple=True,
            metavar="NAME=VALUE",
            help="Only with this value of a facet; repeat for any of several.",
        ),
        click.option(
            "--language",
            "languages",
            multiple=True,
            metavar="LANG",
            help="Only in this language; repeat for any of several.",
        ),
        click.option("--tag", "tags", multiple=True, help="Only pages with this tag; repeat for several."),
        click.option("--path-prefix", default="", metavar="PATH", help="Only below this path, e.g. /docs."),
    ):
        command = option(command)
    return command


def continuation_option(command: F) -> F:
    """Add `--continuation WORD`, which continues a list of occurrences."""
    return click.option(
        "--continuation",
        default="",
        metavar="WORD",
        help="Continue after the previous answer, with the word that it printed.",
    )(command)


def count_option(name: str, most: int, default: int, description: str, *aliases: str) -> Callable[[F], F]:
    """Add an option for a number from 1 to `most`."""
    return click.option(
        name, *aliases, type=click.IntRange(1, most), default=default, show_default=True, help=description
    )


def tokens_option(command: F) -> F:
    """Add `--max-tokens N` as `max_tokens`; None means no limit besides the number of results."""
    return click.option(
        "--max-tokens",
        type=click.IntRange(LEAST_MAX_TOKENS, MOST_MAX_TOKENS),
        metavar="N",
        help="Approximate maximum size of the text in tokens; results stay whole.",
    )(command)


def part_options(command: F) -> F:
    """Add `--max-tokens N`, and `--continue TOKEN` for the next part, as `token`."""
    command = click.option(
        "--continue",
        "token",
        default="",
        metavar="TOKEN",
        help="Continue an answer, with the token that --max-tokens printed.",
    )(command)
    return tokens_option(command)


def json_option(command: F) -> F:
    """Add `--json` as `as_json`; errors are then JSON too."""

    def remember(ctx: click.Context, _: click.Parameter, value: bool) -> bool:
        remember_json(ctx, value)
        return value

    return click.option(JSON_FLAG, "as_json", is_flag=True, callback=remember, help="Print one JSON object to stdout.")(
        command
    )


def quiet_option(command: F) -> F:
    """Add `--quiet`, which silences `output.say` and progress; for commands that act rather than report."""

    def remember(ctx: click.Context, _: click.Parameter, value: bool) -> None:
        ctx.meta[_QUIET] = value

    return click.option("--quiet", is_flag=True, expose_value=False, callback=remember, help="Print only errors.")(
        command
    )


def log_format_option(command: F) -> F:
    """Add `--log-format json`: stderr is JSON lines, see `log_lines`; for commands that report progress."""

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
    """Add `--tools` and `--structured-content`: the tools and the form of answers for coding agents."""
    command = click.option(
        "--structured-content", is_flag=True, help="Give agents answers as data too; default: mcp.structured_content."
    )(command)
    return click.option(
        "--tools", metavar="NAMES", help="Tools for agents: core, content, all, or their names; default: mcp.tools."
    )(command)


def offering(settings: "McpSettings", tools: str | None, *, structured_content: bool) -> "McpSettings":
    """Return the settings, changed by these options.

    Raises:
        UsageError: There is no such tool.
    """
    from searchsocket.project.settings.features import ToolName, ToolSet

    valid = (*get_args(ToolSet), *get_args(ToolName))
    names = tuple(name.strip() for name in (tools or "").split(",") if name.strip())
    if unknown := [name for name in names if name not in valid]:
        raise click.UsageError(f"--tools: no tool {unknown[0]!r}; known: {', '.join(valid)}")
    changes = {
        "tools": names or settings.tools,
        "structured_content": structured_content or settings.structured_content,
    }
    return settings.model_copy(update=changes)


def load_project(root: Path) -> "Project":
    """Open the project in `root`, with this process's environment."""
    from searchsocket.project.project import open_project

    project = open_project(root, os.environ)
    if log := log_lines():
        log.add_facts(project=project.id)
    return project
