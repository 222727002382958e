"""`searchsocket export`: the live generation as files that browsers search without a server."""

import os
from pathlib import Path

import click

from searchsocket.backends import Backends
from searchsocket.cli.options import json_option, load_project, project_option, quiet_option, scope_option
from searchsocket.cli.output import count, print_json, safe, say, size
from searchsocket.export.files import export_generation


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@project_option
@scope_option
@quiet_option
@json_option
def export(folder: Path, root: Path, scope_name: str | None, as_json: bool) -> None:
    """Write the index as files for search without a server.

    FOLDER becomes part of your site, next to its pages. A relative folder is inside the project.

    \b
    Example:
      searchsocket export build/searchsocket
    """

    project = load_project(root)
    backends = Backends(project, os.environ, calls=False, local_only=True)
    reader = backends.store.reader(project.scope(os.environ, scope_name))
    rules = backends.curation.rules()
    exported = export_generation(reader, project.settings.ranking, project.root / folder, rules)
    if as_json:
        print_json(
            {
                "generation": exported.generation,
                "pages": exported.pages,
                "files": exported.files,
                "bytes": exported.bytes,
                "written": exported.written,
                "removed": exported.removed,
            }
        )
        return
    new = f"{exported.written:,} new, {exported.removed:,} removed"
    say(
        f"generation {exported.generation} ({count(exported.pages, 'page')}) exported to {safe(str(folder))}: "
        f"{count(exported.files, 'file')}, {size(exported.bytes)} ({new})"
    )
