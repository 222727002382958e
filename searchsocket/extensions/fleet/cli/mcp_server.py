"""The projects that one `searchsocket mcp` serves, and the server of several."""

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import click

from searchsocket.agents.checkout import CheckoutLibraries, is_project
from searchsocket.agents.library import Libraries, WithOthers
from searchsocket.cli.options import load_project
from searchsocket.cli.output import safe
from searchsocket.cli.sites import enabled, report_error, serve_libraries
from searchsocket.errors import ConfigMissing
from searchsocket.extensions.fleet.cli.options import public_location
from searchsocket.extensions.fleet.libraries import ProjectLibraries, beside
from searchsocket.extensions.fleet.user_list import ProjectEntry, list_path, read_list
from searchsocket.project.project import Project
from searchsocket.serving.service import OnError


def named_projects(roots: Sequence[Path], urls: Sequence[str]) -> Sequence[ProjectEntry]:
    """Return the projects of folders and of pushed indexes, named by their ids.

    Raises:
        UsageError: Two projects have the same id.
        ConfigError: A project has turned the server off.
        SearchSocketError: A pushed index cannot be read, and there is no earlier copy.
    """
    projects = [_open_enabled(root) for root in roots]
    named = [ProjectEntry(name=project.id, location=str(project.root)) for project in projects]
    named += map(_pushed, urls)
    names = [each.name for each in named]
    if doubled := {name for name in names if names.count(name) > 1}:
        raise click.UsageError(f"two projects have the id {safe(min(doubled))!r}; set another project.id in one")
    return named


def _pushed(url: str) -> ProjectEntry:
    from searchsocket.extensions.fleet.libraries import (
        pulled_home,  # these two take 0.1 s, and few servers need them
    )
    from searchsocket.extensions.fleet.pulled import pulled_project_id

    return ProjectEntry(name=pulled_project_id(pulled_home(os.environ), url), location=url)


def listed_projects(here: Project) -> Sequence[ProjectEntry]:
    """Return the user's list with the current project first; empty if that is the only project.

    The current project replaces a listed one of the same name, which is another checkout.
    """
    listed = read_list(list_path())
    own = next((each for each in listed if each.location == str(here.root)), None)
    if own is None and is_project(here.root):
        own = ProjectEntry(name=here.id, location=str(here.root))
    if own is None or here.settings.mcp.enable is False:
        return [each for each in listed if each.location != str(here.root)]
    others = [each for each in listed if each.name != own.name]
    return [own, *others] if others else []


def serve_several(
    projects: Sequence[ProjectEntry],
    scope_name: str | None,
    tools: Sequence[str] | None,
    *,
    structured_content: bool,
) -> None:
    """Serve these projects over stdin and stdout; `scope_name` is the default scope of the first."""
    by_name = makers(projects, scope_name, tools, report_error)
    libraries: Libraries = ProjectLibraries(by_name) if len(by_name) > 1 else by_name[projects[0].name]()
    serve_libraries(libraries, structured_content=structured_content)


def makers(
    projects: Sequence[ProjectEntry], scope_name: str | None, tools: Sequence[str] | None, on_error: OnError
) -> dict[str, Callable[[], Libraries]]:
    """Return functions that open the projects, by name; `scope_name` is the default scope of the first."""
    return {
        each.name: partial(_libraries, each, None if at else scope_name, tools, on_error)
        for at, each in enumerate(projects)
    }


def with_others(projects: Sequence[ProjectEntry], tools: Sequence[str] | None) -> WithOthers | None:
    """Return a function that adds these projects to the first one, which a service serves; None without others."""
    others = makers(projects[1:], None, tools, report_error)
    return partial(beside, others) if others else None


def http_project(several: Sequence[ProjectEntry], project: Project | None) -> Project:
    """Return the first project, whose service answers over HTTP.

    Raises:
        UsageError: The first project is a pushed index.
        ConfigError: Its server is turned off.
    """
    if not several:
        assert project is not None
        return enabled(project)
    if several[0].is_url:
        raise click.UsageError(
            "over HTTP the first project must be a folder; to serve a pushed index, run "
            "`searchsocket serve --mcp --artifacts URL`"
        )
    return _open_enabled(Path(several[0].location))


def _open_enabled(root: Path) -> Project:
    return enabled(load_project(root))


def _libraries(
    project: ProjectEntry, scope_name: str | None, tools: Sequence[str] | None, on_error: OnError
) -> Libraries:
    if project.is_url:
        from searchsocket.extensions.fleet.libraries import PulledLibraries  # see `_pushed`

        return PulledLibraries(project.location, os.environ, scope=scope_name, tools=tools, on_error=on_error)
    root = Path(project.location)
    if not root.is_dir():
        raise ConfigMissing(
            f"the folder {public_location(project.location)} of project {project.name!r} does not exist; "
            f"run `searchsocket mcp remove {project.name}`"
        )
    _open_enabled(root)
    return CheckoutLibraries(root, os.environ, scope=scope_name, tools=tools, on_error=on_error)
