"""`searchsocket mcp`: the MCP server for coding agents (spec 16)."""

from functools import partial
from pathlib import Path
from typing import Any

import click

from searchsocket.agents.library import WithOthers
from searchsocket.cli.commands import COMMANDS
from searchsocket.cli.mcp_clients import doctor, install, skill
from searchsocket.cli.options import offer_options, projects_option, scope_option
from searchsocket.cli.sites import AgentRequest, chosen_sites
from searchsocket.project.project import Project


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


mcp.add_command(install)
mcp.add_command(skill)
mcp.add_command(doctor)
