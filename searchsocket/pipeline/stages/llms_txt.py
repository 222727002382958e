"""After publishing: write the files for agents next to the pages of the site."""

import os
from hashlib import sha256
from pathlib import Path

from searchsocket.content.llms.folder import RECORDS, OwnFiles, agent_site, remove_others, write_files
from searchsocket.content.mirror import parse_page
from searchsocket.content.pages import Page
from searchsocket.errors import ConfigMissing
from searchsocket.events import Event
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.results import LlmsNumbers, StageResult
from searchsocket.pipeline.run.stage import only_count, stage
from searchsocket.pipeline.stages.search_index import search_index
from searchsocket.sources.build_folder import root_of_site
from searchsocket.state import ScopeState
from searchsocket.stores.base import default_pages
from searchsocket.system.files import make_folder
from searchsocket.web.urls.site import site_origin

_NAMED = 3


_dry = only_count(lambda pages: LlmsNumbers(pages, 0, 0, 0))


@stage(
    "Writing llms.txt",
    LlmsNumbers,
    reads=[search_index],
    kinds={"markdown"},
    dry=_dry,
)
def llms_txt(run: ScopeRun, state: ScopeState) -> StageResult[LlmsNumbers]:
    """Write `llms.txt`, `llms-full.txt` and each page as Markdown for agents, from the live generation.

    Raises:
        ConfigMissing: There is no folder to write to.
        StateUnavailable, PermissionDenied: A file cannot be written.
    """
    scope, settings = run.scope, run.project.settings
    folder = site_folder(run, settings.llms.dir, "llms")
    store = run.backends.store
    catalogue = store.reader(scope).catalogue

    def read(url: str) -> Page:
        return parse_page(catalogue.page_body(url) or "")

    digests = dict(store.body_digests(scope))
    pages = [(url, digests[url]) for url in default_pages(store.reader(scope), [*digests])]
    home = read("/") if any(url == "/" for url, _ in pages) else None
    site = agent_site(settings, run.project.id, run.site.path, home, origin=site_origin(settings, scope.name))
    make_folder(folder)
    records = run.project.state_dir / RECORDS
    files = OwnFiles(folder, records / f"{_id(folder)}.json", scope.name)
    entries = write_files(site, pages, read, files, max_bytes=settings.llms.max_kb * 1000)
    if state.published.may_delete():
        files.remove_stale()
    else:
        files.keep_stale()
    files.save()
    removed = files.removed + remove_others(records, scope.name, folder, run.project.root)
    run.on_event(Event("llms_written", {"files": files.written, "folder": os.fspath(folder)}))
    return StageResult(
        total=len(entries),
        numbers=LlmsNumbers(len(entries), files.written, removed, len(files.foreign)),
        version=files.digest,
        facts={"llms_folder": os.fspath(folder)},
        warnings=_warnings(files.foreign, folder),
    )


def site_folder(run: ScopeRun, configured: str, section: str) -> Path:
    """The folder of the site's root: the configured one, otherwise that of the build.

    Args:
        section: Section of the settings whose `dir` is the configured folder.

    Raises:
        ConfigMissing: No folder is configured, and the pages are not those of a build folder.
    """
    project, scope = run.project, run.scope.name
    if configured:
        return project.root / configured.replace("{scope}", scope)
    folder = built_site(run)
    if folder is None:
        mode = run.make_source().origin.mode
        raise ConfigMissing(
            f"[{section}] writes next to the pages, but these come from {mode}, so there is no build folder; "
            f'set {section}.dir, e.g. "static"'
        )
    return folder


def built_site(run: ScopeRun) -> Path | None:
    """The root of the site in its build folder; None if the pages do not come from a build."""
    source = run.make_source()
    return root_of_site(run.project.root / source.origin.folder, run.site.path) if source.kind.is_build else None


def _warnings(foreign: list[str], folder: Path) -> tuple[str, ...]:
    if not foreign:
        return ()
    examples = ", ".join(foreign[:_NAMED]) + (f" and {len(foreign) - _NAMED} more" if len(foreign) > _NAMED else "")
    return (
        f"{folder.name}/ contains {examples}, not written by searchsocket; delete them, or rebuild the site, so that "
        f"llms.txt and its pages can be written",
    )


def _id(folder: Path) -> str:
    return sha256(os.fsencode(os.path.realpath(folder))).hexdigest()[:20]
