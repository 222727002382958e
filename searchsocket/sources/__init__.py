"""Sources of pages: one file per kind, with one interface (`base.Source`)."""

from collections.abc import Sequence
from pathlib import Path

from searchsocket.errors import ConfigMissing
from searchsocket.project.settings.model import Settings
from searchsocket.project.settings.site import SourceMode
from searchsocket.sources.base import Source, SourceOrigin
from searchsocket.sources.content_files import ContentFilesSource
from searchsocket.sources.exclude import Excluder
from searchsocket.sources.find import configured_build, find_build, generator_of
from searchsocket.sources.git_branch import GitBranchSource
from searchsocket.sources.preview import refuse_open_places
from searchsocket.sources.static_output import StaticOutputSource
from searchsocket.web.routes import scan_project
from searchsocket.web.routes.kit import clean_dir
from searchsocket.web.urls.form import CLEAN, Addresses, UrlForm, stated_form
from searchsocket.web.urls.site import configured_site, crawl_address

__all__ = ["configured_site", "make_source"]


def make_source(
    root: Path,
    settings: Settings,
    mode: SourceMode | None = None,
    *,
    scope: str = "",
    branch: str = "",
    fetched_dir: Path | None = None,
    max_pages: int | None = None,
    previous_form: UrlForm | None = None,
) -> Source:
    """The source of a project.

    Args:
        root: The project.
        settings: Its configuration.
        mode: Overrides `source.mode`; None for both means static-output where a build is found, else content-files.
        scope: Name of the scope; takes the place of `{scope}` in `source.static_output_dir` and in
            `source.crawl.base_url`.
        branch: What git-branch reads unless `source.git.branch` names one; "" = that of the scope, found by its name.
        fetched_dir: Where a crawl keeps what it fetched; default: `crawl/<scope>` in the state folder.
        max_pages: What a limited run wants; a crawl fetches no more, the others list what they have.
        previous_form: Of the addresses, as an earlier run read it from the site's links.

    Raises:
        ConfigMissing: There is nothing to index; the message says what was looked for.
        ConfigError: A glob cannot be read, or the site would have two base paths.
    """
    mode = mode or settings.source.mode
    if mode == "content-files":
        return _content_files(root, settings, scope)
    if mode == "git-branch":
        return _git_branch(root, settings, scope, branch or scope)
    if mode == "crawl":
        fetched_dir = fetched_dir or root / settings.state.dir / "crawl" / (scope or "main")
        return _crawl(settings, scope, fetched_dir, max_pages)
    configured = settings.source.static_output_dir.replace("{scope}", scope)
    if configured:
        folder = configured_build(root, configured)
        origin = SourceOrigin("static-output", configured, generator=generator_of(root, configured))
        return _static_output(settings, scope, folder, origin, previous_form)
    found = find_build(root)
    if found.folder:
        origin = SourceOrigin("static-output", found.folder, generator=found.generator)
        return _static_output(settings, scope, root / found.folder, origin, previous_form, found.notes)
    checked = f"no HTML in {', '.join(f'{name}/' for name in found.candidates_checked)} of {root}"
    if mode == "static-output":
        hint = "build the site first, or set source.static_output_dir"
        raise ConfigMissing("; ".join([checked, *found.notes, hint]))
    why = "; ".join(found.notes) or "could not find a build of the site"
    hint = 'set source.mode = "content-files" if that is intended'
    content = _content_files(root, settings, scope, [f"{why}, so the Markdown sources are indexed; {hint}"])
    if content.has_pages():
        return content
    globs = ", ".join(settings.source.content_files.globs)
    hint = "build the site first, or set source.static_output_dir or source.content_files.globs"
    raise ConfigMissing("; ".join([f"nothing to index: {checked}, and no file matches {globs}", *found.notes, hint]))


def _static_output(
    settings: Settings,
    scope: str,
    folder: Path,
    origin: SourceOrigin,
    previous_form: UrlForm | None,
    notes: Sequence[str] = (),
) -> StaticOutputSource:
    source = settings.source
    return StaticOutputSource(
        folder,
        site=configured_site(settings, "static-output", scope),
        exclude=source.exclude,
        max_page_bytes=source.max_page_bytes,
        origin=origin,
        notes=notes,
        url_form=stated_form(settings.urls.style),
        previous_form=previous_form,
    )


def _crawl(settings: Settings, scope: str, fetched_dir: Path, max_pages: int | None) -> Source:
    from searchsocket.sources.crawl.source import CrawlSource  # brings an HTTP client

    source = settings.source
    if not source.crawl.base_url:
        raise ConfigMissing('source.mode is "crawl" but source.crawl.base_url is not set, e.g. http://localhost:4173')
    refuse_open_places(crawl_address(settings, scope))
    return CrawlSource(
        source.crawl,
        fetched_dir,
        address=crawl_address(settings, scope),
        site=configured_site(settings, "crawl", scope),
        excluded=Excluder(source.exclude),
        max_page_bytes=source.max_page_bytes,
        max_pages=max_pages,
        url_form=stated_form(settings.urls.style),
    )


def _git_branch(root: Path, settings: Settings, scope: str, branch: str) -> GitBranchSource:
    source = settings.source
    return GitBranchSource(
        root / source.git.repo_dir,
        source.git.branch or branch or "HEAD",
        source.content_files.globs,
        base_dir=source.content_files.base_dir,
        routes_dir=settings.routes.dir,
        static_dir=settings.routes.static_dir,
        exclude=source.exclude,
        max_page_bytes=source.max_page_bytes,
        addresses=_addresses(settings, "git-branch", scope),
    )


def _content_files(root: Path, settings: Settings, scope: str, notes: Sequence[str] = ()) -> ContentFilesSource:
    source = settings.source
    base_dir = clean_dir(source.content_files.base_dir)
    folder = root / base_dir
    if not folder.is_dir():
        raise ConfigMissing(f"source.content_files.base_dir: folder {folder} does not exist")
    return ContentFilesSource(
        folder,
        source.content_files.globs,
        routes_dir=scan_project(root, settings.routes.dir).routes_dir.removeprefix(f"{base_dir}/"),
        exclude=source.exclude,
        max_page_bytes=source.max_page_bytes,
        origin=SourceOrigin("content-files", base_dir or "."),
        notes=notes,
        addresses=_addresses(settings, "content-files", scope),
    )


def _addresses(settings: Settings, mode: SourceMode, scope: str) -> Addresses:
    """The addresses of pages that have no built file: Markdown links to other Markdown, and shows no form."""
    return Addresses(stated_form(settings.urls.style) or CLEAN, configured_site(settings, mode, scope).path)
