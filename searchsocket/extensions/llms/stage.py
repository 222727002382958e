"""After publishing: write the files for agents next to the pages of the site."""

import os
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from searchsocket.content.mirror import parse_page
from searchsocket.content.pages import Page
from searchsocket.events import Event
from searchsocket.extensions.llms.folder import RECORDS, OwnFiles, agent_site, remove_others, write_files
from searchsocket.extensions.llms.settings import LlmsSettings
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.results import Numbers, StageResult
from searchsocket.pipeline.run.site_folder import site_folder
from searchsocket.pipeline.run.stage import only_count, stage
from searchsocket.pipeline.stages.search_index import search_index
from searchsocket.state.scope import ScopeState
from searchsocket.stores.base.index_reader import default_pages
from searchsocket.system.files import make_folder
from searchsocket.web.urls.site import site_origin

_NAMED = 3


@dataclass(frozen=True, slots=True)
class LlmsNumbers(Numbers):
    """Numbers of `llms_txt`."""

    pages: int  # listed pages
    files_written: int
    files_removed: int
    files_in_the_way: int  # files of another origin under a name that this stage needs


@stage(
    "Writing llms.txt",
    LlmsNumbers,
    reads=[search_index],
    kinds={"markdown"},
    columns=(
        ("url", "string", "URL path of the page; one file per page"),
        ("title", "string", "title of the page"),
        ("note", "string", "one-line summary of the page"),
        ("size", "int", "size of the Markdown file in bytes"),
    ),
    dry=only_count(lambda pages: LlmsNumbers(pages, 0, 0, 0)),
)
def llms_txt(run: ScopeRun, state: ScopeState) -> StageResult[LlmsNumbers]:
    """Write `llms.txt`, `llms-full.txt` and each page as Markdown for agents, from the live generation.

    Raises:
        ConfigMissing: There is no folder to write to.
        StateUnavailable, PermissionDenied: A file cannot be written.
    """
    scope, settings = run.scope, run.project.settings
    section = settings.section(LlmsSettings)
    folder = site_folder(run, section.dir, "llms")
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
    entries = write_files(site, pages, read, files, max_bytes=section.max_kb * 1000)
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


def remove_all(run: ScopeRun) -> None:
    """Delete the files of the run's scope; raises what `remove_others` does."""
    remove_others(run.project.state_dir / RECORDS, run.scope.name, None, run.project.root)


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


STAGES = (llms_txt,)
