"""`searchsocket export`: write the live generation as files that browsers search without a server."""

import os
from dataclasses import asdict
from pathlib import Path

import click

from searchsocket.backends import Backends
from searchsocket.cli.options import load_project, projects_option, result_options, scope_option
from searchsocket.cli.output import count, print_json, safe, say, size
from searchsocket.export.files import Exported, SiteExport, export_generation, export_sites
from searchsocket.project.location import project_here
from searchsocket.project.project import Project
from searchsocket.serving.site_names import home_title, site_names
from searchsocket.web.urls.site import site_origin


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@projects_option("Project folder; repeat to search several sites at once. Default: the current folder.")
@scope_option
@result_options
def export(folder: Path, roots: tuple[Path, ...], scope_name: str | None, as_json: bool) -> None:
    """Write the index as files for search without a server.

    FOLDER becomes part of your site, next to its pages. A relative folder is inside the project, or inside the first
    of several.

    \b
    Example:
      searchsocket export build/searchsocket
      searchsocket export build/searchsocket --project apps/docs --project apps/blog
    """

    projects = [load_project(root) for root in roots or (project_here(Path.cwd()),)]
    target = projects[0].root / folder
    sites = [_site(project, name, scope_name) for project, name in zip(projects, site_names(projects), strict=True)]
    if len(sites) > 1:
        results = export_sites(sites, target)
        if as_json:
            print_json(
                {
                    "sites": [
                        {"project": site.project, **_numbers(exported)}
                        for site, exported in zip(sites, results, strict=True)
                    ]
                }
            )
            return
        for site, exported in zip(sites, results, strict=True):
            _report(f"{safe(site.title)}: generation", exported, folder)
        return
    [site] = sites
    exported = export_generation(site.reader, site.settings, target, site.curation)
    if as_json:
        print_json(_numbers(exported))
    else:
        _report("generation", exported, folder)


def _site(project: Project, name: str, scope_name: str | None) -> SiteExport:
    """Open the live generation of a project's scope."""
    backends = Backends(project, os.environ, calls=False, local_only=True)
    scope = project.scope(os.environ, scope_name)
    reader = backends.store.reader(scope)
    title = project.settings.llms.title or home_title(reader) or project.id
    address = site_origin(project.settings, scope.name)
    return SiteExport(reader, project.settings.ranking, backends.curation.rules(), name, title, address)


def _numbers(exported: Exported) -> dict[str, str | int]:
    return {name: value for name, value in asdict(exported).items() if name != "head"}


def _report(subject: str, exported: Exported, folder: Path) -> None:
    new = f"{exported.written:,} new, {exported.removed:,} removed"
    say(
        f"{subject} {exported.generation} ({count(exported.pages, 'page')}) exported to {safe(str(folder))}: "
        f"{count(exported.files, 'file')}, {size(exported.bytes)} ({new})"
    )
