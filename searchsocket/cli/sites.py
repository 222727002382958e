"""The choice of the projects that `serve` and `mcp` answer about: that of the folder, or as an extension chooses."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from searchsocket.cli.exits import signals_final
from searchsocket.cli.options import load_project, offering
from searchsocket.cli.service_log import trouble_line
from searchsocket.errors import ConfigError
from searchsocket.extensions import extensions
from searchsocket.extensions.base import load
from searchsocket.project.location import current_folder, project_here
from searchsocket.project.project import Project
from searchsocket.system.this_process import loading

if TYPE_CHECKING:
    from searchsocket.agents.library import Libraries, LibraryMakers, WithOthers
    from searchsocket.cli.server import Listener
    from searchsocket.project.settings.features import McpSettings

_ONE = "this installation answers about one project at a time; remove the repeated --project"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeRequest:
    """The arguments of `searchsocket serve`; its listener is made once they are known to be right."""

    roots: Sequence[Path]  # folders of projects; empty = the current one
    added: Mapping[str, Any]  # values of the options of extensions
    prepare: Callable[[Project], Project]  # applies the options to a project
    dev: bool
    libraries: "WithOthers | None"  # other projects that agents can search
    host: str
    port: int
    workers: int
    drain_s: float
    metrics_port: int | None
    json_lines: bool

    def base(self) -> Project:
        """Open the first project without the options."""
        return load_project(self.roots[0] if self.roots else project_here(current_folder()))

    def projects(self) -> list[Project]:
        """Open the projects of the folders."""
        return [self.prepare(each) for each in (self.base(), *map(load_project, self.roots[1:]))]

    def listener(self) -> "Listener":
        """Load the server, which takes a second of CPU."""
        with loading():
            from searchsocket.cli.server import Listener

        return Listener(self.host, self.port, self.workers, self.drain_s, self.metrics_port, self.json_lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRequest:
    """The arguments of `searchsocket mcp`."""

    roots: Sequence[Path]  # folders of projects; empty = the current one
    added: Mapping[str, Any]  # values of the options of extensions
    scope_name: str | None  # of the first project
    transport: str | None  # None = the setting
    tools: str | None  # None = the setting of each project
    structured_content: bool
    serve_http: "Callable[[Project, WithOthers | None], None]"

    def settings_in(self, project: Project | None) -> "McpSettings":
        """Return the settings for agents of a project, changed by the options; without a project, the defaults."""
        from searchsocket.project.settings.features import McpSettings

        settings = project.settings.mcp if project else McpSettings()
        return offering(settings, self.tools, structured_content=self.structured_content)

    def is_http(self, settings: "McpSettings") -> bool:
        """Return True if agents call over HTTP."""
        return (self.transport or settings.transport) == "http"


class Sites:
    """One project answers: that of the folder. An extension replaces this class, and adds options."""

    def serve(self, request: ServeRequest) -> None:
        """Serve until Ctrl-C.

        Raises:
            UsageError: There are several projects.
        """
        if len(request.roots) > 1:
            raise click.UsageError(_ONE)
        listener = request.listener()
        from searchsocket.cli.server import serve_one

        serve_one(request.prepare(request.base()), listener, dev=request.dev, libraries=request.libraries)

    def serve_agents(self, request: AgentRequest) -> None:
        """Serve agents until they leave, or Ctrl-C over HTTP.

        Raises:
            UsageError: There are several projects.
            ConfigError: The server is turned off.
        """
        from searchsocket.agents.checkout import project_around

        if len(request.roots) > 1:
            raise click.UsageError(_ONE)
        project = enabled(load_project(request.roots[0] if request.roots else project_around(current_folder())))
        settings = request.settings_in(project)
        if request.is_http(settings):
            request.serve_http(project, None)
        else:
            serve_checkout(project, request.scope_name, settings)

    def agent_projects(self) -> "LibraryMakers":
        """Return functions that open the projects which agents can ask in every folder, by name."""
        return {}


def chosen_sites() -> Sites:
    """The choice of the first extension that makes one, else that of this module."""
    return next((load(each.sites) for each in extensions() if each.sites), None) or Sites()


def enabled(project: Project) -> Project:
    """Return the project if its MCP server is not turned off.

    Raises:
        ConfigError: The server is turned off.
    """
    if project.settings.mcp.enable is False:
        raise ConfigError(f"mcp.enable is false in {project.root}, so the MCP server is off there; set it to true")
    return project


def serve_checkout(project: Project, scope_name: str | None, settings: "McpSettings") -> None:
    """Serve the project of a checkout over stdin and stdout."""
    from searchsocket.agents.checkout import CheckoutLibraries

    libraries = CheckoutLibraries(
        project.root, os.environ, scope=scope_name, tools=settings.tools, on_error=report_error
    )
    serve_libraries(libraries, structured_content=settings.structured_content)


def serve_libraries(libraries: "Libraries", *, structured_content: bool) -> None:
    """Serve over stdin and stdout until stdin ends."""
    with loading():
        from searchsocket.agents.server import make_server, serve_stdio

    with signals_final():
        serve_stdio(make_server(libraries, structured=structured_content, on_error=report_error), libraries)


def report_error(error: BaseException) -> None:
    """Print an error that agents do not see."""
    click.echo(trouble_line(error), err=True)
