"""The choice of the projects that answer: of folders, of a pushed index, of the user's list, or of a location."""

from functools import partial

import click

from searchsocket.agents.library import LibraryMakers
from searchsocket.cli.sites import AgentRequest, ServeRequest, Sites, enabled, serve_checkout
from searchsocket.project.location import current_folder


class FleetSites(Sites):
    """Projects of several folders, pushed indexes, and locations with many projects."""

    def serve(self, request: ServeRequest) -> None:
        """Serve until Ctrl-C.

        Raises:
            UsageError: The options contradict each other.
        """
        url, location, several = request.added["url"], request.added["location"], len(request.roots) > 1
        if url and several:
            raise click.UsageError("--artifacts serves one index; set artifacts.url in each project instead")
        if location and (url or several):
            raise click.UsageError(
                "--projects serves all projects of one location; remove --artifacts and repeated --project"
            )
        listener = request.listener()
        if not location and not several:
            from searchsocket.cli.server import serve_one
            from searchsocket.extensions.fleet.cli.opening import open_at

            (project,) = request.projects()
            opening = partial(open_at, url)
            serve_one(project, listener, dev=request.dev, libraries=request.libraries, open_project=opening)
            return
        from searchsocket.extensions.fleet.cli.server import ProjectsLocation, serve_many, serve_sites

        if location:
            memory_mb, disk_mb = request.added["memory_mb"], request.added["disk_mb"]
            place = ProjectsLocation(location, memory_mb, disk_mb, request.dev, request.prepare)
            serve_many(request.base(), listener, place)
        else:
            serve_sites(request.projects(), listener, dev=request.dev)

    def serve_agents(self, request: AgentRequest) -> None:
        """Serve agents until they leave, or Ctrl-C over HTTP; raises as the functions of `mcp_server`."""
        from searchsocket.agents.checkout import project_around
        from searchsocket.cli.options import load_project
        from searchsocket.extensions.fleet.cli import mcp_server

        roots, urls = request.roots, request.added["urls"]
        several = mcp_server.named_projects(roots, urls) if urls or len(roots) > 1 else ()
        project = (
            None if several and not roots else load_project(roots[0] if roots else project_around(current_folder()))
        )
        settings = request.settings_in(project)
        tools = settings.tools if request.tools else None
        if project and not roots:
            several = mcp_server.listed_projects(project)
        if request.is_http(settings):
            home = mcp_server.http_project(several, project)
            request.serve_http(home, mcp_server.with_others(several, tools))
        elif several:
            structured = settings.structured_content
            mcp_server.serve_several(several, request.scope_name, tools, structured_content=structured)
        else:
            assert project is not None
            serve_checkout(enabled(project), request.scope_name, settings)

    def agent_projects(self) -> LibraryMakers:
        """Return functions that open the projects of the user's list, by name."""
        from searchsocket.extensions.fleet.cli.mcp_server import makers
        from searchsocket.extensions.fleet.user_list import list_path, read_list

        return makers(read_list(list_path()), None, None, lambda _: None)


SITES = FleetSites()
