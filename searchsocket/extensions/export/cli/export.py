"""`searchsocket export`: write the live generation as files that browsers search without a server."""

import os
from dataclasses import asdict
from pathlib import Path

import click

from searchsocket.backends import Backends
from searchsocket.cli.options import load_project, projects_option, result_options, scope_option
from searchsocket.cli.output import count, print_json, safe, say, size
from searchsocket.extensions.export.files import Exported, SiteExport, export_generation, export_sites
from searchsocket.pipeline.run.index import origin_of
from searchsocket.project.location import current_folder, project_here
from searchsocket.project.project import Project
from searchsocket.project.settings.source_kinds import STATIC_OUTPUT
from searchsocket.serving.service import configured_title, home_title, site_names
from searchsocket.sources.build_folder import root_of_site
from searchsocket.state.project import ProjectState
from searchsocket.web.urls.site import configured_site, site_origin


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

    projects = [load_project(root) for root in roots or (project_here(current_folder()),)]
    target = projects[0].root / folder
    sites = [_site(project, name, scope_name) for project, name in zip(projects, site_names(projects), strict=True)]
    if len(sites) > 1:
        results = export_sites(sites, target)
        if as_json:
            print_json(
                {
                    "sites": [
                        {"project": site.project, **export_numbers(exported)}
                        for site, exported in zip(sites, results, strict=True)
                    ]
                }
            )
            return
        for site, exported in zip(sites, results, strict=True):
            _report(f"{safe(site.title)}: generation", exported, folder)
        return
    for mistake in (mistake for site in sites for mistake in site.curation.mistakes):
        click.echo(f"warning: {mistake} (this rule is left out)", err=True)
    [site] = sites
    exported = export_generation(
        site.reader, site.settings, target, site.curation, base=site.base, site_folder=site.folder
    )
    if as_json:
        print_json(export_numbers(exported))
    else:
        _report("generation", exported, folder)


def _site(project: Project, name: str, scope_name: str | None) -> SiteExport:
    """Open the live generation of a project's scope."""
    backends = Backends(project, os.environ, calls=False, local_only=True)
    scope = project.scope(os.environ, scope_name)
    reader = backends.store.reader(scope)
    title = configured_title(project) or home_title(reader) or project.id
    address = site_origin(project.settings, scope.name)
    rules = backends.curation.rules()
    base = configured_site(project.settings, None, scope.name).path
    folder = _built_site(project, scope.name, base)
    return SiteExport(reader, project.settings.ranking, rules, name, title, address, base, folder)


def _built_site(project: Project, scope: str, base: str) -> Path | None:
    """The root of the site in the build folder that was indexed; None if its pages come from elsewhere."""
    source = origin_of(ProjectState(project.state_dir), scope).source
    build = project.root / source.get("folder", "")
    is_build = source.get("source") == STATIC_OUTPUT.mode and build.is_dir()
    return root_of_site(build, base) if is_build else None


def export_numbers(exported: Exported) -> dict[str, str | int]:
    """The numbers of an export as JSON."""
    return {name: value for name, value in asdict(exported).items() if name != "head"}


def _report(subject: str, exported: Exported, folder: Path) -> None:
    new = f"{exported.written:,} new, {exported.removed:,} removed"
    say(
        f"{subject} {exported.generation} ({count(exported.pages, 'page')}) exported to {safe(str(folder))}: "
        f"{count(exported.files, 'file')}, {size(exported.bytes)} ({new})"
    )
