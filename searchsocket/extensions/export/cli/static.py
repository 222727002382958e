"""`searchsocket static`: add search to a folder of built pages, without settings and without a server."""

import hashlib
import os
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path

import click

from searchsocket.backends import Backends
from searchsocket.cli.exits import signals_noted
from searchsocket.cli.index_run import listener, run_corpus
from searchsocket.cli.options import answers_address, is_quiet, log_options
from searchsocket.cli.output import count, print_json, safe, say, size
from searchsocket.cli.summary import grouped_warnings
from searchsocket.errors import ConfigMissing
from searchsocket.extensions.export.built_pages import (
    FOLDER,
    BuiltPages,
    add_search,
    base_of_build,
    page_files,
    remove_search,
)
from searchsocket.extensions.export.cli.export import export_numbers
from searchsocket.extensions.export.files import Exported, export_generation, remove_export
from searchsocket.models.embedders.cache_place import cache_folder
from searchsocket.pipeline.run.context import SITE
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.pipeline.run.summary import IndexSummary
from searchsocket.project.location import current_folder, is_configured, project_here
from searchsocket.project.project import Project
from searchsocket.project.settings.load import load_settings
from searchsocket.project.settings.model import Settings, StateSettings
from searchsocket.project.settings.source_kinds import STATIC_OUTPUT
from searchsocket.sources.build_folder import find_build, holds_html, root_of_site
from searchsocket.text.skipped import skipped_words
from searchsocket.types import Scope
from searchsocket.web.urls.site import configured_site

# Settings of a project that also count here. The index is its own, of words alone, and never calls a service.
_SETTINGS = ("project", "urls", "versions", "extract", "transform", "facets", "chunking", "redaction", "ranking")
_SCOPE = "main"
_PROJECT_FILES = (".git", "package.json", "pyproject.toml")  # a folder with one of them contains sources


@click.command()
@click.argument("build", type=click.Path(path_type=Path, file_okay=False))
@click.option("--no-inject", is_flag=True, help="Write the index only; do not change the pages.")
@click.option("--answers", metavar="URL", default="", help="URL at which browsers get answers in sentences.")
@click.option("--undo", "is_undo", is_flag=True, help="Remove the search from the pages, and the index.")
@click.option(
    "--accept-large-deletion", is_flag=True, help="Allow this run to remove more than half of the pages it knows."
)
@log_options
def static(
    build: Path, *, no_inject: bool, answers: str, is_undo: bool, accept_large_deletion: bool, as_json: bool
) -> None:
    """Add search to a built site, in one step.

    BUILD is the folder with the HTML pages, such as build, dist, public or _site. Indexes them, writes the index to
    BUILD/searchsocket, and adds one script tag to each page. The search field or button of your theme then opens the
    search; a page without one gets a button in its header. Run it after each build.

    \b
    Example:
      searchsocket static build
      searchsocket static build --undo
    """
    build = _built(build)
    project, base = _project(build)
    site = root_of_site(build, base)
    if is_undo:
        _undo(project, site, as_json=as_json)
        return
    pages = BuiltPages() if no_inject else add_search(site, base, answers_address(answers))
    is_done = False
    try:
        with (
            listener(lines=False, first="Starting", silent=is_quiet()) as on_event,
            signals_noted(),
        ):
            scope = Scope(project.id, _SCOPE, "")
            options = RunOptions(accept_large_deletion=accept_large_deletion)
            summary = run_corpus(project, scope, options, on_event, SITE, None)
        backends = Backends(project, os.environ, calls=False, local_only=True)
        exported = export_generation(
            backends.store.reader(scope),
            project.settings.ranking,
            site / FOLDER,
            backends.curation.rules(),
            base=base,
            site_folder=site,
        )
        is_done = True
    finally:
        if not is_done:  # the pages would ask for files that do not exist
            remove_search(site, pages.changed)
    if as_json:
        print_json(_as_json(build, summary, exported, pages))
    else:
        _report(build, summary, exported, pages, is_injected=not no_inject)


def _built(build: Path) -> Path:
    """Return the real path of a build.

    Raises:
        ConfigMissing: The folder does not exist, contains no pages, or is that of the site's sources.
    """
    name_it = "build the site first, or name the folder with its pages"
    if not build.is_dir():
        raise ConfigMissing(f"the folder {build} does not exist; {name_it}")
    detected = find_build(build)
    is_project = detected.folder and any((build / name).exists() for name in _PROJECT_FILES)
    if not (build / "index.html").is_file() and (detected.generator or detected.notes or is_project):
        command = f"run `searchsocket static {shlex.quote(os.path.join(build, detected.folder))}`"
        fix = command if detected.folder else name_it
        raise ConfigMissing(f"{build} contains the sources of a site, not its pages; {fix}")
    if not holds_html(build):
        raise ConfigMissing(f"{build} contains no HTML; {name_it}")
    return build.resolve()


def _project(build: Path) -> tuple[Project, str]:
    """Return a project for the pages of a build, with state in the user's cache folder, and the site's base path.

    The settings are those of the project that the build is part of, if there is one.
    """
    folders = (folder for folder in (project_here(build), current_folder()) if build.is_relative_to(folder))
    root = next(filter(is_configured, folders), build.parent)
    stated = load_settings(root, os.environ)
    base = configured_site(stated, STATIC_OUTPUT.mode, _SCOPE).path or base_of_build(build)
    state = cache_folder(os.environ, root, build.parent / StateSettings().dir) / "static"
    folder = {"mode": STATIC_OUTPUT.mode, "static_output_dir": os.path.relpath(build, root), "base_path": base}
    settings = Settings().model_copy(
        update={
            **{name: getattr(stated, name) for name in _SETTINGS},
            "source": stated.source.model_copy(update=folder),
            "state": StateSettings(dir=str(state / hashlib.sha256(os.fsencode(build)).hexdigest()[:20])),
        }
    )
    return Project(root, settings, stated.project.id or root.name or "site"), base


def _undo(project: Project, site: Path, *, as_json: bool) -> None:
    changed = remove_search(site, page_files(site))
    removed = remove_export(site / FOLDER)
    shutil.rmtree(project.state_dir, ignore_errors=True)
    if as_json:
        print_json({"pages": len(changed), "files": removed})
    elif changed or removed:
        say(f"removed the search from {count(len(changed), 'page')}, and {count(removed, 'file')} of the index")
    else:
        say(f"Nothing to undo: {safe(str(site))} has no search.")


def _as_json(build: Path, summary: IndexSummary, exported: Exported, pages: BuiltPages) -> Mapping[str, object]:
    return {
        "build": str(build),
        "index": summary.to_json(),
        "export": export_numbers(exported),
        "pages": {
            "changed": len(pages.changed),
            "unchanged": len(pages.unchanged),
            "oldCopies": list(pages.packed),
        },
    }


def _report(build: Path, summary: IndexSummary, exported: Exported, pages: BuiltPages, *, is_injected: bool) -> None:
    skipped = skipped_words(summary.skipped, summary.skip_reasons)
    say(f"indexed  {count(exported.pages, 'page')}{f'; left out: {safe(skipped)}' if skipped else ''}")
    say(f"wrote    {safe(os.path.relpath(build))}/{FOLDER}: {count(exported.files, 'file')}, {size(exported.bytes)}")
    if is_injected:
        has_it = f"; {len(pages.unchanged):,} had it" if pages.unchanged else ""
        say(f"search   added to {count(len(pages.changed), 'page')}{has_it}")
    warnings = grouped_warnings(summary.warnings)
    if pages.packed:
        copies = f"{len(pages.packed):,} compressed copies of pages, such as {pages.packed[0]}"
        warnings.append(f"{copies}, made before the search was added; compress the pages again")
    for warning in warnings:
        say(click.style(f"warning  {safe(warning)}", fg="yellow"))
    folder = shlex.quote(os.path.relpath(build))
    say(f"try it   python3 -m http.server --directory {safe(folder)}")
    say(f"undo     searchsocket static {safe(folder)} --undo")
