"""After publishing: export the index as files that browsers search without a server (docs/static.md)."""

import os
from dataclasses import dataclass

from searchsocket.events import Event
from searchsocket.extensions.export.settings import ExportSettings
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.results import Numbers, StageResult
from searchsocket.pipeline.run.site_folder import built_site, site_folder
from searchsocket.pipeline.run.stage import only_count, stage
from searchsocket.pipeline.stages.search_index import search_index
from searchsocket.state.scope import ScopeState

_FOLDER = "searchsocket"  # below the root of the site


@dataclass(frozen=True, slots=True)
class StaticNumbers(Numbers):
    """Numbers of `static_search`."""

    pages: int
    files: int  # of this generation
    files_written: int
    files_removed: int  # of the generation before the previous one
    bytes: int  # of the files of this generation


@stage(
    "Exporting",
    StaticNumbers,
    reads=[search_index],
    kinds={"javascript"},
    columns=(
        ("file", "string", "name of the file: its kind and the hash of its contents"),
        ("bytes", "int", "size of the file in bytes"),
    ),
    dry=only_count(lambda pages: StaticNumbers(pages, 0, 0, 0, 0)),
)
def static_search(run: ScopeRun, state: ScopeState) -> StageResult[StaticNumbers]:
    """Write the live generation as files that browsers search without a server, next to the pages of the site.

    Raises:
        ConfigMissing: There is no folder to write to.
        ConfigError: An existing file does not match the hash in its name.
        StateUnavailable, PermissionDenied: A file cannot be written.
    """
    from searchsocket.extensions.export.files import (
        export_generation,  # loads the ranking, which other runs do not need
    )

    settings = run.project.settings
    configured = settings.section(ExportSettings).dir
    folder = site_folder(run, configured, "export")
    if not configured:
        folder /= _FOLDER
    reader, rules = run.backends.store.reader(run.scope), run.backends.curation.rules()
    exported = export_generation(
        reader, settings.ranking, folder, rules, base=run.site.path, site_folder=built_site(run)
    )
    run.on_event(Event("static_exported", {"files": exported.written, "folder": os.fspath(folder)}))
    return StageResult(
        total=exported.pages,
        numbers=StaticNumbers(exported.pages, exported.files, exported.written, exported.removed, exported.bytes),
        version=exported.head,
        facts={"export_folder": os.fspath(folder)},
        warnings=rules.mistakes,
    )


STAGES = (static_search,)
