"""`searchsocket mcp`: the MCP server for coding agents (spec 16).

`install`, `skill` and `doctor` configure agents for this project, and check them as they do.
"""

import difflib
import os
import shlex
import shutil
import sys
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import click

from searchsocket.agents.clients import CLIENTS, NAME, OF_THE_USER, ClientName, Machine, Target, target_of
from searchsocket.agents.library import WithOthers, offered_tools
from searchsocket.agents.tools import TOOLS
from searchsocket.cli.commands import COMMANDS
from searchsocket.cli.options import load_project, offer_options, project_option, projects_option, scope_option
from searchsocket.cli.output import safe
from searchsocket.cli.sites import AgentRequest, chosen_sites
from searchsocket.errors import ConfigError, ConfigMissing, SearchSocketError, StateUnavailable
from searchsocket.pipeline.run.context import corpora_of
from searchsocket.project.project import Project
from searchsocket.system.files import write_atomic
from searchsocket.system.json_text import JsonObject

_MODE = 0o644  # of a new file, which contains no secret


@click.group(invoke_without_command=True)
@projects_option(
    "Project folder; repeat for several. Default: this folder or a parent of it, and the projects of `mcp list`."
)
@scope_option
@click.option("--transport", type=click.Choice(["stdio", "http"]), help="Transport; default: mcp.transport.")
@offer_options
@click.pass_context
def mcp(
    ctx: click.Context,
    /,
    roots: tuple[Path, ...],
    scope_name: str | None,
    transport: str | None,
    tools: str | None,
    structured_content: bool,
    **added: Any,
) -> None:
    """Run the MCP server for coding agents.

    It uses stdin and stdout and the branch that is checked out, or HTTP on this machine for callers with the key. It
    reads the index, and indexes source files that changed before it answers about them.

    \b
    Example:
      searchsocket mcp install --client claude-code
      searchsocket mcp
      searchsocket mcp --tools core,related
      searchsocket mcp --project apps/docs --project apps/blog
      searchsocket mcp --artifacts https://files.example.com/search
      searchsocket mcp --transport http
    """
    if ctx.invoked_subcommand:
        return
    offer: dict[str, object] = {"tools": tools, "structured_content": structured_content}
    chosen_sites().serve_agents(
        AgentRequest(
            roots=roots,
            added=added,
            scope_name=scope_name,
            transport=transport,
            tools=tools,
            structured_content=structured_content,
            serve_http=partial(serve_http, ctx, scope_name, offer),
        )
    )


def serve_http(
    ctx: click.Context, scope_name: str | None, offer: dict[str, object], project: Project, others: WithOthers | None
) -> None:
    """Serve agents of a project over HTTP.

    Args:
        offer: The options of the tools.
        others: Adds other projects.
    """
    ctx.invoke(
        COMMANDS["serve"],
        roots=(project.root,),
        port=project.settings.mcp.http.port,
        scopes=(scope_name,) if scope_name else (),
        no_page=True,
        mcp=True,
        sync=True,
        libraries=others,
        **offer,
    )


@click.command()
@project_option
@click.option("--client", required=True, type=click.Choice(CLIENTS), help="Agent to configure.")
@click.option(
    "--command", "command", default="", metavar="LINE", help='Command to start, e.g. "uvx searchsocket[mcp]".'
)
@click.option("--listed", is_flag=True, help="Name no project: serve the current one and those of `mcp list`.")
@click.option("--print", "only_print", is_flag=True, help="Print the change; write nothing.")
@click.option("--yes", is_flag=True, help="Write without confirmation.")
def install(root: Path, client: ClientName, command: str, listed: bool, only_print: bool, yes: bool) -> None:
    """Add this project's MCP server to a client's settings.

    Shows the change and asks before it writes. Keeps everything else in the file.

    \b
    Example:
      searchsocket mcp install --client claude-code
      searchsocket mcp install --client codex --print
      searchsocket mcp install --client claude-desktop --listed
    """

    if not (command or find_spec("mcp")):
        raise ModuleNotFoundError("the extra for agents is not installed", name="mcp")
    project = load_project(root)
    machine = _machine()
    line = shlex.split(command) or [NAME]
    own = shlex.split(command) or [_own_command()]
    target = target_of(client, project.root, project.id, line, machine, own)
    target = target.for_the_list() if listed else target
    if shutil.which(target.entry["command"]) is None:
        click.echo(
            f"{safe(target.entry['command'])!r} is not on PATH, where {client} looks for it; install it there, or name "
            "another command with --command",
            err=True,
        )
    if only_print:
        click.echo(f"# {safe(str(target.path))}", err=True)
        click.echo(target.snippet, nl=False)
        return
    path = target.path.resolve()  # the target of a link into dotfiles
    before = path.read_text(encoding="utf-8-sig") if path.exists() else ""
    after = target.merged(before)
    if after == before:
        click.echo(f"{safe(str(path))} already contains this server; nothing to do")
        return
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), str(path), str(path), lineterm="")
    click.echo("\n".join(map(safe, lines)), err=True)
    if not yes:
        click.confirm(f"Write {safe(str(path))}?", abort=True, err=True)
    try:
        mode = path.stat().st_mode & 0o777 if path.exists() else _MODE
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, after.encode(), mode=mode)
    except OSError as error:
        raise StateUnavailable(f"cannot write {path}: {error.strerror or error}; --print shows what to add") from error
    click.echo(f"wrote {safe(str(path))}; restart {client}, and check that {target.name} is listed")


def _machine() -> Machine:
    try:
        home = Path.home()
    except RuntimeError:
        raise ConfigMissing("this user has no home folder, where clients keep their settings; set HOME") from None
    return Machine(home, sys.platform, os.environ)


def _own_command() -> str:
    """Return the command with which other programs start this one: its path if it is in a virtual environment."""
    if sys.prefix == sys.base_prefix:
        return "searchsocket"
    return str(Path(sys.executable).with_name("searchsocket"))


@click.command()
@project_option
def skill(root: Path) -> None:
    """Print a skill.md that describes this site to agents.

    \b
    Example:
      searchsocket mcp skill > static/skill.md
    """

    click.echo(skill_text(load_project(root)), nl=False)


def skill_text(project: Project) -> str:
    """Return the file for one site, from its settings."""
    from searchsocket.setup.changes import template

    site = project.settings.project.base_url or project.id
    settings = project.settings
    names = offered_tools(settings.mcp.tools, settings, [corpus.name for corpus in corpora_of(settings)])
    rows = "\n".join(f"| {TOOLS[name].agent.task} | `{name}` |" for name in names)
    return template("skill.md", project=project.id, site=site, rows=rows)


@click.command()
@project_option
@click.option("--client", type=click.Choice(CLIENTS), help="Check this client; default: all that have an entry.")
@click.option("--yes", is_flag=True, help="Start any command that a file of the project names, without confirmation.")
@click.pass_context
def doctor(ctx: click.Context, root: Path, client: ClientName | None, yes: bool) -> None:
    """Start the MCP server as a client does, and report problems.

    Reads the entry of each client, starts its command, lists the tools and calls one. Asks before it starts a command
    of the project's files that `mcp install` would not write. Opens each project of `mcp list` too. Exits with 1 if
    something failed.

    \b
    Example:
      searchsocket mcp doctor
      searchsocket mcp doctor --client cursor
    """
    project = load_project(root)
    machine = _machine()
    targets = {name: target_of(name, project.root, project.id, ["searchsocket"], machine) for name in CLIENTS}
    checks_by_client = {
        name: _checks(target, project.root, starts_all=yes or name in OF_THE_USER)
        for name, target in targets.items()
        if client in (None, name)
    }
    reported = {name: checks for name, checks in checks_by_client.items() if checks}
    listed = [] if client else _list_checks()
    for check in listed:
        click.echo(f"{'ok    ' if check.is_ok else 'BROKEN'}  {safe(check.name)}  {safe(check.text)}")
    if not (reported or listed):
        missing = f"no entry in {safe(str(targets[client].path))}" if client else "no client has an entry"
        click.echo(f"{missing}; add one with `searchsocket mcp install --client {client or 'NAME'}`")
        ctx.exit(1)
    for name, checks in reported.items():
        click.echo(f"{name}  {safe(str(targets[name].path))}")
        for check in checks:
            click.echo(f"  {'ok    ' if check.is_ok else 'BROKEN'}  {check.name:<8} {safe(check.text)}")
    ctx.exit(int(not all(check.is_ok for checks in (listed, *reported.values()) for check in checks)))


class ProbeResult(NamedTuple):
    """Outcome of one check."""

    is_ok: bool
    name: str
    text: str


def _list_checks() -> list[ProbeResult]:
    """Open the index of each project that agents can ask in every folder."""
    checks = []
    for name, make in chosen_sites().agent_projects().items():
        try:
            library = make().find("")
            library.check()
            checks.append(
                ProbeResult(is_ok=True, name=name, text=f"{library.name}: {', '.join(sorted(library.tools))}")
            )
        except SearchSocketError as error:
            checks.append(ProbeResult(is_ok=False, name=name, text=f"{error.code}: {error}"))
    return checks


def _checks(target: Target, root: Path, *, starts_all: bool) -> list[ProbeResult]:
    """Run the checks of a client's entry, up to the first that fails; empty without an entry.

    Args:
        starts_all: True to start any command; False to ask if `mcp install` would write another one, since the file
            may be a stranger's.
    """
    try:
        entry = target.current() or target.for_the_list().current()
    except ConfigError as error:
        return [ProbeResult(is_ok=False, name="file", text=str(error).partition(";")[0])]
    if entry is None:
        return []
    if not (starts_all or _is_own(entry, target, root) or _is_confirmed(entry, target)):
        text = f"{_line(entry)} was not started; `mcp install` would write {_line(target.entry)}. --yes starts it"
        return [ProbeResult(is_ok=False, name="command", text=text)]
    return list(_entry_checks(entry, root))


def _is_own(entry: JsonObject, target: Target, root: Path) -> bool:
    """Return True if an entry starts what `mcp install` writes, from a program outside of the project."""
    command = str(entry.get("command", ""))
    program = shutil.which(command)
    if program is not None and Path(os.path.realpath(program)).is_relative_to(os.path.realpath(root)):
        return command == _own_command()
    arguments = (target.entry["args"], target.for_the_list().entry["args"])
    return command in (NAME, _own_command()) and entry.get("args", []) in arguments and not entry.get("env")


def _is_confirmed(entry: JsonObject, target: Target) -> bool:
    question = f"{safe(str(target.path))} names the command {safe(_line(entry))}. Start it?"
    try:
        return click.confirm(question, err=True)
    except click.Abort:  # nobody can answer
        return False


def _line(entry: JsonObject) -> str:
    """The command of an entry as a shell would read it, with its variables."""
    variables = [f"{name}={value}" for name, value in (entry.get("env") or {}).items()]
    arguments = entry.get("args") or ()
    return shlex.join(map(str, [*variables, entry.get("command", ""), *arguments]))


def _entry_checks(entry: JsonObject, root: Path) -> Iterator[ProbeResult]:
    command, arguments = str(entry.get("command", "")), [str(argument) for argument in entry.get("args", ())]
    program = shutil.which(command)
    if program is None:
        text = f"{command!r} is not on PATH; install it there, or name it with `mcp install --command`"
        yield ProbeResult(is_ok=False, name="command", text=text)
        return
    yield ProbeResult(is_ok=True, name="command", text=program)
    arguments = [argument.replace("${workspaceFolder}", str(root)) for argument in arguments]
    from searchsocket.agents.probe import probe_server  # a second of CPU

    environ = {str(key): str(value) for key, value in (entry.get("env") or {}).items()}
    for step in probe_server(program, arguments, environ, root):
        yield ProbeResult(*step)


mcp.add_command(install)
mcp.add_command(skill)
mcp.add_command(doctor)
