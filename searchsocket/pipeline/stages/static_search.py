"""After publishing: export the index as files that browsers search without a server (docs/static.md)."""

import os

from searchsocket.events import Event
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.results import StageResult, StaticNumbers
from searchsocket.pipeline.run.stage import only_count, stage
from searchsocket.pipeline.stages.llms_txt import built_site, site_folder
from searchsocket.pipeline.stages.search_index import search_index
from searchsocket.state import ScopeState

_FOLDER = "searchsocket"  # below the root of the site


_dry = only_count(lambda pages: StaticNumbers(pages, 0, 0, 0, 0))


@stage(
    "Exporting",
    StaticNumbers,
    reads=[search_index],
    kinds={"javascript"},
    dry=_dry,
)
def static_search(run: ScopeRun, state: ScopeState) -> StageResult[StaticNumbers]:
    """Write the live generation as files that browsers search without a server, next to the pages of the site.

    Raises:
        ConfigMissing: There is no folder to write to.
        ConfigError: An existing file does not match the hash in its name.
        StateUnavailable, PermissionDenied: A file cannot be written.
    """
    from searchsocket.export.files import export_generation  # loads the ranking, which other runs do not need

    settings = run.project.settings
    folder = site_folder(run, settings.export.dir, "export")
    if not settings.export.dir:
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
