"""`searchsocket mcp`: the MCP server for coding agents (spec 16)."""

import os
from collections.abc import Sequence
from pathlib import Path

import click

from searchsocket.agents.checkout import CheckoutLibraries, project_around
from searchsocket.agents.library import LibraryMakers
from searchsocket.agents.project_list import ProjectEntry
from searchsocket.cli import mcp_server
from searchsocket.cli.mcp_clients import doctor, install, skill
from searchsocket.cli.mcp_projects import add, list_, remove, sync
from searchsocket.cli.options import load_project, offer_options, offering, projects_option, scope_option
from searchsocket.cli.serve import serve
from searchsocket.cli.service_log import trouble_line
from searchsocket.project.project import Project
from searchsocket.project.settings.features import McpSettings


@click.group(invoke_without_command=True)
@projects_option(
    "Project folder; repeat for several. Default: this folder or a parent of it, and the projects of `mcp list`."
)
@click.option(
    "--artifacts", "urls", multiple=True, metavar="URL", help="Serve a pushed index from this URL; repeat for several."
)
@scope_option
@click.option("--transport", type=click.Choice(["stdio", "http"]), help="Transport; default: mcp.transport.")
@offer_options
@click.pass_context
def mcp(
    ctx: click.Context,
    roots: tuple[Path, ...],
    urls: tuple[str, ...],
    scope_name: str | None,
    transport: str | None,
    tools: str | None,
    structured_content: bool,
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

    several: Sequence[ProjectEntry] = mcp_server.named_projects(roots, urls) if urls or len(roots) > 1 else ()
    project = None if several and not roots else load_project(roots[0] if roots else project_around(Path.cwd()))
    settings = offering(_settings(project), tools, structured_content=structured_content)
    if project and not roots:
        several = mcp_server.listed_projects(project)
    if (transport or settings.transport) == "http":
        home = mcp_server.http_project(several, project)
        others = mcp_server.makers(several, None, _tool_names(settings, tools), _report)
        others.pop(several[0].name if several else "", None)
        serve_http(ctx, home, scope_name, others, tools=tools, structured_content=structured_content)
    elif several:
        structured = settings.structured_content
        mcp_server.serve_several(
            several, scope_name, _tool_names(settings, tools), structured_content=structured, on_error=_report
        )
    else:
        assert project is not None
        _serve_stdio(mcp_server.enabled(project), scope_name, settings)


def _settings(project: Project | None) -> McpSettings:
    return project.settings.mcp if project else McpSettings()


def _tool_names(settings: McpSettings, tools: str | None) -> Sequence[str] | None:
    """Return the tools that the command line names; None = each project's own setting."""
    return settings.tools if tools else None


def _serve_stdio(project: Project, scope_name: str | None, settings: McpSettings) -> None:
    libraries = CheckoutLibraries(project.root, os.environ, scope=scope_name, tools=settings.tools, on_error=_report)
    mcp_server.serve_libraries(libraries, structured_content=settings.structured_content, on_error=_report)


def serve_http(
    ctx: click.Context, project: Project, scope_name: str | None, others: LibraryMakers, **offer: object
) -> None:
    ctx.invoke(
        serve,
        roots=(project.root,),
        port=project.settings.mcp.http.port,
        scopes=(scope_name,) if scope_name else (),
        no_page=True,
        mcp=True,
        sync=True,
        others=others,
        **offer,
    )


def _report(error: BaseException) -> None:
    click.echo(trouble_line(error), err=True)


mcp.add_command(install)
mcp.add_command(skill)
mcp.add_command(doctor)
mcp.add_command(add)
mcp.add_command(sync)
mcp.add_command(remove)
mcp.add_command(list_)
