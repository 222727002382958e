"""Options that several commands share."""

import os
import re
from collections.abc import Callable, Sequence
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import click

from searchsocket.cli.log_lines import begin as begin_log_lines
from searchsocket.cli.log_lines import log_lines
from searchsocket.search.bounds import LEAST_MAX_TOKENS, MOST_MAX_TOKENS

if TYPE_CHECKING:
    from searchsocket.project.project import Project
    from searchsocket.project.settings.features import McpSettings
    from searchsocket.types import Scope


Named = tuple[str, tuple[str, ...]]


def _bounds(noun: str, least: float | None, most: float | None) -> str:
    low, high = (f"{bound:,.12g}" if bound is not None else "" for bound in (least, most))
    if low and high:
        return f"must be {noun} from {low} to {high}"
    return f"must be {noun}, {low} or more" if low else f"must be {noun}, {high} or less" if high else f"must be {noun}"


class WholeNumber(click.IntRange):
    """A whole number from `min` to `max`; None: without that bound."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(_bounds("a whole number", self.min, self.max), param, ctx)


class DecimalNumber(click.FloatRange):
    """A number that may have decimals, from `min` to `max`; None: without that bound."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(_bounds("a number", self.min, self.max), param, ctx)


def each(name: str, values: tuple[str, ...]) -> tuple[Named, ...]:
    """Return a filter for any of several values; no filter without values."""
    return ((name, values),) if values else ()


def named_filter(text: str) -> Named:
    """Return a filter for one value, from `name=value`, or for numbers, from `name<=5`."""
    match = _FILTER.fullmatch(text)
    if match is None:
        raise click.BadParameter(f"{text!r} is not NAME=VALUE", param_hint="--filter")
    return match[1], (match[3] if match[2] == "=" else match[2] + match[3],)


_FILTER = re.compile(r"([^=<>]*)(=|<=|>=|<|>)(.*)", re.DOTALL)
F = TypeVar("F", bound=Callable[..., object])
C = TypeVar("C", bound=click.Command)
JSON_FLAG = "--json"
_JSON = "searchsocket.json"
_QUIET = "searchsocket.quiet"


def with_options(command: C, options: Sequence[click.Option], *, after: str = "") -> C:
    """Return a copy of a command with more options, behind the parameter with this name; "" = at the end."""
    changed = copy(command)
    names = [option.name for option in command.params]
    at = names.index(after) + 1 if after else len(names)
    changed.params = [*command.params[:at], *options, *command.params[at:]]
    return changed


def all_of(*options: Callable[[Any], Any]) -> Callable[[F], F]:
    """Return one decorator for several options, the last one of the help first."""

    def add(command: F) -> F:
        for option in options:
            command = option(command)
        return command

    return add


def _project_folder(_: click.Context, __: click.Parameter, folder: Path | None) -> Path:
    from searchsocket.project.location import current_folder, project_here

    return folder or project_here(current_folder())


_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
# The project's folder, as `root`.
project_option = click.option(
    "--project",
    "root",
    type=_FOLDER,
    callback=_project_folder,
    metavar="DIR",
    help="Project folder; default: this folder or a configured one above it in the repository.",
)
# The same for a command that makes a project of a folder.
new_project_option = click.option(
    "--project",
    "root",
    type=_FOLDER,
    default=Path(),
    metavar="DIR",
    help="Project folder; default: the current folder.",
)


def projects_option(description: str) -> Callable[[F], F]:
    """Add `--project DIR`, which may be repeated, as the parameter `roots`."""
    return click.option("--project", "roots", multiple=True, type=_FOLDER, metavar="DIR", help=description)


# The default is the configured scope.
scope_option = click.option(
    "--scope", "scope_name", metavar="NAME", help="Scope to use; default: from the [scope] settings."
)
# `--project` and `--scope`, as `root` and `scope_name`.
scope_options = all_of(scope_option, project_option)
language_option = click.option(
    "--language", "languages", multiple=True, metavar="LANG", help="Only in this language; repeat for any of several."
)
# The options that select pages: `path_prefix`, `tags`, `languages`, facets as `named`, and `version`. `--version` is
# the program's version.
pages_options = all_of(
    click.option(
        "--docs-version",
        "version",
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
    language_option,
    click.option("--tag", "tags", multiple=True, help="Only pages with this tag; repeat for several."),
    click.option("--path-prefix", default="", metavar="PATH", help="Only below this path, e.g. /docs."),
)
# Continues a list of occurrences.
continuation_option = click.option(
    "--continuation",
    default="",
    metavar="WORD",
    help="Continue after the previous answer, with the word that it printed.",
)


def count_option(name: str, most: int, default: int, description: str, *others: str) -> Callable[[F], F]:
    """Add an option for a number from 1 to `most`; `others` are further names, and that of the parameter."""
    return click.option(name, *others, type=WholeNumber(1, most), default=default, show_default=True, help=description)


# None means no limit besides the number of results.
tokens_option = click.option(
    "--max-tokens",
    type=WholeNumber(LEAST_MAX_TOKENS, MOST_MAX_TOKENS),
    metavar="N",
    help="Approximate maximum size of the text in tokens; results stay whole.",
)
continue_option = click.option(
    "--continue",
    "continuation_token",
    default="",
    metavar="TOKEN",
    help="Continue an answer, with the token that --max-tokens printed.",
)
part_options = all_of(continue_option, tokens_option)


def _remember_json(ctx: click.Context, _: click.Parameter, value: bool) -> bool:
    remember_json(ctx, value)
    return value


# Errors are then JSON too.
json_option = click.option(
    JSON_FLAG, "as_json", is_flag=True, callback=_remember_json, help="Print one JSON object to stdout."
)


def _remember_quiet(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    ctx.meta[_QUIET] = value


# Silences `output.say` and progress; for commands that act rather than report.
quiet_option = click.option(
    "--quiet", is_flag=True, expose_value=False, callback=_remember_quiet, help="Print only errors."
)


def _begin_log_lines(ctx: click.Context, _: click.Parameter, value: str) -> None:
    if value == "json" and not ctx.resilient_parsing:
        begin_log_lines(ctx)


# With json, stderr is JSON lines, see `log_lines`; for commands that report progress.
log_format_option = click.option(
    "--log-format",
    type=click.Choice(["text", "json"]),
    default="text",
    expose_value=False,
    is_eager=True,
    callback=_begin_log_lines,
    help="Format of messages; json: one object per line, on stderr.",
)
# Output of commands that act, and of those that also report progress.
result_options = all_of(json_option, quiet_option)
log_options = all_of(json_option, log_format_option, quiet_option)


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


# The tools and the form of answers for coding agents.
offer_options = all_of(
    click.option(
        "--structured-content", is_flag=True, help="Give agents answers as data too; default: mcp.structured_content."
    ),
    click.option(
        "--tools", metavar="NAMES", help="Tools for agents: core, content, all, or their names; default: mcp.tools."
    ),
)


def offering(settings: "McpSettings", tools: str | None, *, structured_content: bool) -> "McpSettings":
    """Return the settings, changed by these options.

    Raises:
        UsageError: There is no such tool.
    """
    from searchsocket.project.settings.features import ToolSet
    from searchsocket.serving.capabilities.all_capabilities import TOOL_NAMES

    valid = (*get_args(ToolSet), *TOOL_NAMES)
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
        log.hide(project.environment(os.environ))
    return project


def load_scope(root: Path, scope_name: str | None) -> "tuple[Project, Scope]":
    """Open the project in `root`, and find the scope that the command line or the settings name."""
    project = load_project(root)
    return project, project.scope(os.environ, scope_name)


_ANSWERS = re.compile(r"(?:https?://[^\s\"'<>&\\]+|/(?!/)[^\s\"'<>&\\]*)", re.IGNORECASE)


def answers_address(text: str) -> str:
    """Return the address of `--answers` without a slash at the end; "" for none.

    Raises:
        UsageError: It is neither a URL nor a path.
    """
    if text and not _ANSWERS.fullmatch(text):
        raise click.UsageError(f"--answers {text!r} is not a URL such as https://search.example.com/api/answer")
    return text.rstrip("/")
