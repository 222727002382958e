"""Sources of pages: one file per kind, with one interface (`base.Source`)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from searchsocket.errors import ConfigMissing
from searchsocket.extensions import extensions
from searchsocket.extensions.base import load
from searchsocket.project.settings.model import Settings
from searchsocket.project.settings.site import ContentFilesSettings
from searchsocket.project.settings.source_kinds import CONTENT_FILES, GIT_BRANCH, STATIC_OUTPUT
from searchsocket.sources.base import Source, SourceOrigin
from searchsocket.sources.build_folder import DetectedBuild, configured_build, find_build, generator_of
from searchsocket.sources.content_files import ContentFilesSource
from searchsocket.sources.git_branch import GitBranchSource
from searchsocket.sources.static_output import StaticOutputSource
from searchsocket.web.routes.kit import clean_dir
from searchsocket.web.routes.table import scan_project
from searchsocket.web.urls.form import CLEAN, Addresses, UrlForm, stated_form
from searchsocket.web.urls.site import configured_site

__all__ = ["SourceRequest", "configured_site", "make_source"]


def make_source(
    root: Path,
    settings: Settings,
    mode: str | None = None,
    *,
    scope: str = "",
    branch: str = "",
    fetched_dir: Path | None = None,
    max_pages: int | None = None,
    previous_form: UrlForm | None = None,
) -> Source:
    """Make the source of a project.

    Args:
        root: The project.
        settings: Its configuration.
        mode: Overrides `source.mode`; None for both means static-output if a build is found, otherwise content-files.
        scope: Name of the scope; replaces `{scope}` in `source.static_output_dir` and in the address of the source.
        branch: The branch for git-branch, unless `source.git.branch` is set; "" = that of the scope, by its name.
        fetched_dir: Folder for pages that a source fetches or makes; default: `crawl/<scope>` in the state folder.
        max_pages: Limit of a run; a crawl fetches no more, other sources list everything.
        previous_form: Form of the addresses, as an earlier run derived it from the site's links.

    Raises:
        ConfigMissing: There is nothing to index (the message lists the searched places), or a reader is missing.
        ConfigError: A glob cannot be read, or the site would have two base paths.
    """
    request = SourceRequest(root, settings, scope, branch or scope, fetched_dir, max_pages, previous_form)
    mode = mode or settings.source.mode
    if settings.source.documents and not all(map(find_spec, ("pypdfium2", "mammoth"))):  # each document would fail
        raise ConfigMissing(
            "source.documents needs packages that are not installed: pip install 'searchsocket[documents]'"
        )
    return _opener(mode)(request) if mode else _detect(request)


@dataclass(frozen=True, slots=True)
class SourceRequest:
    """The arguments of `make_source`, as each source gets them."""

    root: Path
    settings: Settings
    scope: str
    branch: str
    fetched_dir: Path | None
    max_pages: int | None
    previous_form: UrlForm | None

    def build(self) -> DetectedBuild:
        """The configured build folder, else the detected one."""
        configured = self.settings.source.static_output_dir.replace("{scope}", self.scope)
        if not configured:
            return find_build(self.root)
        configured_build(self.root, configured)
        return DetectedBuild(configured, generator_of(self.root, configured))

    def fetched(self) -> Path:
        """The folder for fetched pages."""
        return self.fetched_dir or self.root / self.settings.state.dir / "crawl" / (self.scope or "main")

    def addresses(self, mode: str) -> Addresses:
        """The addresses of pages without a built file: links between Markdown files show no form."""
        form = stated_form(self.settings.urls.style) or CLEAN
        return Addresses(form, configured_site(self.settings, mode, self.scope).path)


def _detect(request: SourceRequest) -> Source:
    """The build if there is one, else the content files."""
    build = request.build()
    if build.folder:
        return _open_build(request, build)
    why = "; ".join(build.notes) or "could not find a build of the site"
    hint = 'set source.mode = "content-files" if that is intended'
    content = _content_files(request, [f"{why}, so the Markdown sources are indexed; {hint}"])
    if content.has_pages():
        return content
    globs = ", ".join(request.settings.source.content_files.globs)
    checked = why if build.notes else f"{_searched_places(request.root, build)}, and no file matches {globs}"
    hint = "build the site first, or set source.static_output_dir or source.content_files.globs"
    raise ConfigMissing(f"nothing to index: {checked}; {hint}")


def _static_output(request: SourceRequest) -> StaticOutputSource:
    build = request.build()
    if not build.folder:
        hint = "build the site first, or set source.static_output_dir"
        raise ConfigMissing("; ".join([_searched_places(request.root, build), *build.notes, hint]))
    return _open_build(request, build)


def _searched_places(root: Path, build: DetectedBuild) -> str:
    return f"no HTML in {', '.join(f'{name}/' for name in build.candidates_checked)} of {root}"


def _open_build(request: SourceRequest, build: DetectedBuild) -> StaticOutputSource:
    settings = request.settings
    return StaticOutputSource(
        request.root / build.folder,
        site=configured_site(settings, STATIC_OUTPUT.mode, request.scope),
        exclude=settings.source.exclude,
        max_page_bytes=settings.source.max_page_bytes,
        origin=SourceOrigin(STATIC_OUTPUT.mode, build.folder, generator=build.generator),
        notes=build.notes,
        url_form=stated_form(settings.urls.style),
        previous_form=request.previous_form,
        documents=settings.source.documents,
    )


def _git_branch(request: SourceRequest) -> GitBranchSource:
    source = request.settings.source
    return GitBranchSource(
        request.root / source.git.repo_dir,
        source.git.branch or request.branch or "HEAD",
        source.content_files.globs,
        are_globs_chosen=_are_globs_chosen(source.content_files),
        base_dir=source.content_files.base_dir,
        routes_dir=request.settings.routes.dir,
        static_dir=request.settings.routes.static_dir,
        exclude=source.exclude,
        max_page_bytes=source.max_page_bytes,
        addresses=request.addresses(GIT_BRANCH.mode),
    )


def _content_files(request: SourceRequest, notes: Sequence[str] = ()) -> ContentFilesSource:
    source = request.settings.source
    base_dir = clean_dir(source.content_files.base_dir)
    folder = request.root / base_dir
    if not folder.is_dir():
        raise ConfigMissing(f"source.content_files.base_dir: folder {folder} does not exist")
    return ContentFilesSource(
        folder,
        source.content_files.globs,
        are_globs_chosen=_are_globs_chosen(source.content_files),
        routes_dir=scan_project(request.root, request.settings.routes.dir).routes_dir.removeprefix(f"{base_dir}/"),
        exclude=source.exclude,
        max_page_bytes=source.max_page_bytes,
        origin=SourceOrigin(CONTENT_FILES.mode, base_dir or "."),
        notes=notes,
        addresses=request.addresses(CONTENT_FILES.mode),
    )


def _are_globs_chosen(settings: ContentFilesSettings) -> bool:
    return settings.globs != ContentFilesSettings().globs


def _opener(mode: str) -> Callable[[SourceRequest], Source]:
    """The function that opens a source of a mode, which may be that of an extension."""
    if mode in _OPENERS:
        return _OPENERS[mode]
    opener: Callable[[SourceRequest], Source] = load(
        next(extension.source.open for extension in extensions() if extension.source and extension.name == mode)
    )
    return opener


_OPENERS: Mapping[str, Callable[[SourceRequest], Source]] = {
    STATIC_OUTPUT.mode: _static_output,
    CONTENT_FILES.mode: _content_files,
    GIT_BRANCH.mode: _git_branch,
}
