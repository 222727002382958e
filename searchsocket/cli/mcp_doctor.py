"""`searchsocket mcp doctor`: start the server as a client does, and report problems."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click

from searchsocket.agents.clients import CLIENTS, ClientName, Machine, Target, target_of
from searchsocket.agents.project_list import list_path, read_list
from searchsocket.cli.mcp_server import makers
from searchsocket.cli.options import load_project, project_option
from searchsocket.cli.output import safe
from searchsocket.errors import ConfigError, SearchSocketError
from searchsocket.system.json_text import JsonObject


class ProbeResult(NamedTuple):
    """Outcome of one check."""

    is_ok: bool
    name: str
    text: str


@click.command()
@project_option
@click.option("--client", type=click.Choice(CLIENTS), help="Check this client; default: all that have an entry.")
@click.pass_context
def doctor(ctx: click.Context, root: Path, client: ClientName | None) -> None:
    """Start the MCP server as a client does, and report problems.

    Reads the entry of each client, starts its command, lists the tools and calls one. Opens each project of `mcp list`
    too. Exits with 1 if something failed.

    \b
    Example:
      searchsocket mcp doctor
      searchsocket mcp doctor --client cursor
    """
    project = load_project(root)
    machine = Machine(Path.home(), sys.platform, os.environ)
    targets = {name: target_of(name, project.root, project.id, ["searchsocket"], machine) for name in CLIENTS}
    checks_by_client = {
        name: _checks(target, project.root) for name, target in targets.items() if client in (None, name)
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


def _list_checks() -> list[ProbeResult]:
    """Open the index of each project of the user's list."""
    checks = []
    for name, make in makers(read_list(list_path()), None, None, lambda _: None).items():
        try:
            library = make().find("")
            library.check()
            checks.append(
                ProbeResult(is_ok=True, name=name, text=f"{library.name}: {', '.join(sorted(library.tools))}")
            )
        except SearchSocketError as error:
            checks.append(ProbeResult(is_ok=False, name=name, text=f"{error.code}: {error}"))
    return checks


def _checks(target: Target, root: Path) -> list[ProbeResult]:
    """Run the checks of a client's entry, up to the first that fails; empty without an entry."""
    try:
        entry = target.current() or target.for_the_list().current()
    except ConfigError as error:
        return [ProbeResult(is_ok=False, name="file", text=str(error).partition(";")[0])]
    return [] if entry is None else list(_entry_checks(entry, root))


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
