"""Keep the mirror's files in line with the state: write changed ones, repair damaged ones, delete removed ones."""

import json
import os
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, TypeAlias

from searchsocket.content.edit_files import EditedPage, EditFiles
from searchsocket.content.html.site_wide import (
    MIN_PAGES,
    SAMPLE,
    SiteTitles,
    common_headings,
    common_links,
    common_parts,
    without_navigation,
)
from searchsocket.content.mirror import (
    mirror_file,
    mirror_name,
    page_digest,
    parse_page,
    render_page,
    text_digest,
    text_of_scope,
)
from searchsocket.content.pages import Page
from searchsocket.errors import ConfigError, SearchSocketError, SourceUnavailable, UnsafePath
from searchsocket.events import Event
from searchsocket.pipeline.extraction.page_steps import mirror_text, page_of
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.results import digest_of
from searchsocket.sources.edit_files import list_edit_files
from searchsocket.sources.git_branch import GitBranchSource
from searchsocket.sources.git_objects import Repository
from searchsocket.state.mirror import MirrorPage
from searchsocket.state.scope import ScopeState
from searchsocket.system.batches import batches
from searchsocket.system.errors import system_error, system_errors
from searchsocket.system.files import FILE_MODE, TEMPORARY, make_folder, replacing, write_atomic
from searchsocket.types import PageFacts, StatedFacts
from searchsocket.web.routes.kit import KitProject
from searchsocket.web.routes.table import RouteMatch, RouteTable, route_table, scan_project, scan_routes
from searchsocket.web.urls.paths import path_depth
from searchsocket.web.urls.targets import rank_link_texts

_VARIABLE = "SOURCE_DATE_EPOCH"
_BATCH = 200
_MAX_LINK_ROWS = 20_000  # link texts read for one page; a footer link on every page needs no more
_PageFiles: TypeAlias = tuple[RouteTable, EditFiles | None]
_FILES_AT_ONCE = 200


class PageTimes:
    """The time of each page: of the indexed commit, else `SOURCE_DATE_EPOCH`, else of the page's own source."""

    def __init__(self, run: ScopeRun) -> None:
        """
        Raises:
            ConfigError: `SOURCE_DATE_EPOCH` is not a time.
        """
        self._of_all = _commit_time(run) or _environment_time(run)
        self._source = run.make_source()

    def time_of(self, locator: str) -> str:
        """Return the time of a page in UTC, or "" if it is unknown (a crawled page without `Last-Modified`)."""
        if self._of_all:
            return self._of_all
        seconds = self._source.modified(locator)
        return "" if seconds is None else _text(seconds)


def _commit_time(run: ScopeRun) -> str:
    try:
        commit = run.source_revision().removesuffix("-dirty")
        return _text(Repository(run.project.root).commit_time(commit)) if commit else ""
    except SourceUnavailable:
        return ""


def _environment_time(run: ScopeRun) -> str:
    text = run.environ.get(_VARIABLE, "").strip()
    time = _text(int(text)) if text.isdecimal() and len(text) < 16 else ""
    if text and not time:
        raise ConfigError(f"{_VARIABLE} is {text[:40]!r}; set it to seconds since 1970, or remove it")
    return time


def _text(seconds: float) -> str:
    """Return the time to the second; "" if it is out of range."""
    try:
        return datetime.fromtimestamp(seconds // 1, UTC).isoformat().replace("+00:00", "Z")
    except (ValueError, OverflowError, OSError):
        return ""


@dataclass(slots=True)
class MirrorCounts:
    """Counts of written and removed files."""

    written: int = 0
    removed: int = 0
    repaired: list[str] = field(default_factory=list)
    routes: tuple[str, ...] = ()  # warnings about routes


def refresh_mirror(run: ScopeRun, state: ScopeState) -> MirrorCounts:
    """Write the files of dirty pages whose content changed; delete those of pages that left the index."""
    routes, warnings = route_table_of(run)
    edits = _edit_files(run, routes)
    counts = MirrorCounts(routes=warnings)
    # The setting changes every file too.
    shares = ["shared"] if run.project.settings.state.shared_mirror else []
    state.mirror.set_routes(" ".join([routes.digest, *([edits.digest] if edits else []), *shares]))
    _drop_leaving(run, state, counts)
    _drop_unknown(run, state, counts)
    shared = _shared_texts(state)
    links = [(language, *sorted(texts)) for language, texts in sorted(shared.navigation.items()) if texts]
    state.titles.set_site(shared.titles, digest_of(json.dumps(one) for one in links) if links else "")
    counts.written += copy_origin_files(run, state)
    _mark_damaged(run, state, counts)
    times: PageTimes | None = None
    for batch in batches(state.mirror.dirty(), _BATCH):
        with state.transaction():
            for page_id in batch:
                times = times or PageTimes(run)
                counts.written += _refresh_page(run, state, (routes, edits), shared, times, page_id)
    return counts


class _SharedTexts(NamedTuple):
    """Parts of pages that belong to the site instead of a page."""

    titles: SiteTitles
    navigation: Mapping[str, frozenset[str]]  # by language


def _shared_texts(state: ScopeState) -> _SharedTexts:
    titles = state.titles.settled()
    if titles is None:
        headings = common_headings(state.titles.common(MIN_PAGES))
        titles = SiteTitles(headings, *common_parts(state.titles.head_titles()))
    return _SharedTexts(titles, common_links(state.titles.sample(SAMPLE)))


def route_table_of(run: ScopeRun) -> tuple[RouteTable, tuple[str, ...]]:
    """Return the routes of the indexed commit, else of the working tree, and warnings."""
    if run.source_kind.reads_commit:
        source = run.make_source()
        assert isinstance(source, GitBranchSource)
        try:
            kit = source.kit()
            table = route_table(source.route_files(), kit)
        finally:
            source.close()
    else:
        configured = run.project.settings.routes
        kit = scan_project(run.project.root, configured.dir, configured.static_dir)
        table = scan_routes(run.project.root, kit)
    return table, (*table.warnings, *(_other_base_path(run, kit) if table.routes else ()))


def _edit_files(run: ScopeRun, routes: RouteTable) -> EditFiles | None:
    """Return the files that pages may be made from, if no routes make them and the working tree has them."""
    if routes.routes or run.source_kind.reads_commit:
        return None
    return list_edit_files(run.project.root, "" if run.source_kind.is_remote else run.make_source().origin.folder)


def _other_base_path(run: ScopeRun, kit: KitProject) -> list[str]:
    """Warn if SvelteKit has a base path that the settings do not mention: internal links would not resolve."""
    settings = run.project.settings
    is_configured = settings.source.base_path or settings.project.base_url or run.source_kind.is_remote
    if is_configured or kit.base_path == "":
        return []
    if kit.base_path is None:
        return [f'{kit.config_file}: paths.base is computed, so it is not read; set source.base_path ("/" for none)']
    return [
        f'{kit.config_file}: paths.base is "{kit.base_path}"; set source.base_path to it, or '
        "internal links are not recognized"
    ]


def _page(
    run: ScopeRun, state: ScopeState, page_id: int, stored: MirrorPage, files: _PageFiles, shared: _SharedTexts
) -> Page:
    """Combine a page from its extract, its links, its file and the titles of the site."""
    extract = stored.extract
    routes, edits = files
    route, lines = routes.resolve(stored.url), extract.source_lines
    if edits is not None and stored.kind == "html":
        titles = (shared.titles.title_of(extract), extract.title, extract.heading, extract.head_title)
        page = EditedPage(stored.url, titles, extract.body, extract.edit_link, extract.version)
        if name := edits.file_of(page):
            route, lines = RouteMatch(name, resolution="exact"), edits.lines_of(name, extract.body)
    links = state.links.counts(page_id, stored.url, _MAX_LINK_ROWS)
    values = {field.name: getattr(extract, field.name) for field in fields(StatedFacts)}
    values["title"] = shared.titles.title_of(extract)
    values["language"] = extract.language or stored.language
    values["facets"] = (*extract.facets, *stored.labels)
    navigation = shared.navigation.get(values["language"], frozenset())
    return Page(
        PageFacts(
            **values,
            url=stored.url,
            address=stored.address,
            route_file=route.route_file,
            route_resolution=route.resolution,
            source_file=_source_file(run, stored),
            depth=path_depth(stored.url),
            incoming_links=links.incoming,
            link_texts=rank_link_texts(links.texts),
        ),
        scope="" if run.project.settings.state.shared_mirror else run.scope.name,
        body=without_navigation(extract.body, navigation) if stored.kind == "html" else extract.body,
        outgoing_links=links.outgoing,
        source_lines=lines,
        generated_at=stored.generated_at,
    )


def _source_file(run: ScopeRun, stored: MirrorPage) -> str:
    """The file of a page's text, relative to the project; "" if it is not a file of the project."""
    if stored.kind == "markdown" and not run.source_kind.is_remote:  # also while the source is not detected
        return run.project.settings.source.content_files.project_file(stored.locator)
    return run.project.settings.source.of_mode(run.source_mode).project_file(stored.locator)


def mirror_roots(run: ScopeRun) -> list[Path]:
    """Folders to read mirror files of the run from, in order."""
    # A dry run reads files that it did not write from the real mirror.
    return [run.mirror_dir, *([run.project.mirror_dir / run.scope.name] if run.workspace is not None else [])]


def _read_page(run: ScopeRun, url: str, digest: str) -> Page | None:
    """The page in its mirror file, or None if the file is missing, damaged or changed."""
    return page_of(mirror_text(mirror_roots(run), url, digest), run.scope.name)


def _drop_leaving(run: ScopeRun, state: ScopeState, counts: MirrorCounts) -> None:
    """Delete files first, rows after: a crash in between leaves work for the next run, never an orphan."""
    leaving = state.mirror.leaving()
    for _, url in (*leaving.removed, *leaving.skipped):
        _delete_file(run, url)
    state.mirror.drop(leaving)
    counts.removed = len(leaving.removed) + len(leaving.skipped)


def _drop_unknown(run: ScopeRun, state: ScopeState, counts: MirrorCounts) -> None:
    """Delete files of pages that were removed while an older state was lost; runs once per state.

    A file that is not a mirror file of this scope is kept.
    """
    if run.workspace is not None or not state.mirror.must_sweep():
        return
    for name in state.mirror.unknown_files(_file_names(run.mirror_dir), mirror_name):
        path = run.mirror_dir / name
        if not path.is_symlink() and (url := _url_of(path, run.scope.name)) and mirror_name(url) == name:
            _delete_file(run, url)
            counts.removed += 1
    state.mirror.set_swept()


def _file_names(root: Path) -> Iterator[str]:
    """The Markdown files below a folder, as paths relative to it."""
    for folder, _, names in os.walk(root):
        for name in names:
            if name.endswith(".md"):
                yield (Path(folder) / name).relative_to(root).as_posix()


def _url_of(path: Path, scope: str) -> str:
    """The URL in a mirror file of the scope; "" for any other file."""
    try:
        page = parse_page(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, SearchSocketError):
        return ""
    return page.facts.url if page.scope in ("", scope) else ""


def _delete_file(run: ScopeRun, url: str) -> None:
    path = mirror_file(run.mirror_dir, url)
    try:
        path.unlink(missing_ok=True)
        for folder in path.parents:
            if folder == run.mirror_dir or any(folder.iterdir()):
                break
            folder.rmdir()
    except FileNotFoundError:
        return  # the folder is already deleted
    except OSError as error:
        raise system_error("cannot delete", path, error) from error


def _mark_damaged(run: ScopeRun, state: ScopeState, counts: MirrorCounts) -> None:
    """Compare the size and time of every file with the state, since people may edit mirror files."""
    if run.workspace is not None:
        return
    folder = f"{run.mirror_dir}{os.sep}"
    damaged: list[int] = []
    restamped: list[tuple[int, str]] = []
    for page_id, url, digest, stamp in state.mirror.written():
        now = file_stamp(folder + mirror_name(url))
        if now == stamp != "":
            continue
        if now and _read_page(run, url, digest) is not None:
            restamped.append((page_id, now))  # copied or checked out again, but unchanged
            continue
        if now or stamp:  # otherwise it was never written
            problem = "changed" if now else "missing"
            counts.repaired.append(f"the mirror file of {url} was {problem}; it is written again")
        damaged.append(page_id)
    state.mirror.restamp(restamped)
    state.mirror.set_damaged(damaged)


def _refresh_page(
    run: ScopeRun, state: ScopeState, files: _PageFiles, shared: _SharedTexts, times: PageTimes, page_id: int
) -> int:
    """Write the file of a page unless it is current; return the number of written files."""
    stored = state.mirror.page(page_id)
    page = _page(run, state, page_id, stored, files, shared)
    digest = page_digest(page)
    path = mirror_file(run.mirror_dir, page.facts.url)
    if digest != stored.digest:
        # A lost state knows no file; an existing file with the same content keeps its time.
        same = None if stored.digest else _read_page(run, page.facts.url, digest)
        page = replace(page, generated_at=same.generated_at if same else times.time_of(stored.locator))
    elif stored.stamp and (run.workspace is not None or file_stamp(path) == stored.stamp):
        state.mirror.set_clean(page_id)
        return 0
    if digest != stored.digest or not link_origin_file(run, state, path, digest):
        # Not synced: a file that a power cut damages is found by its stamp and written again.
        write_atomic(path, render_page(page).encode("utf-8"), temporary_dir=run.temporary_dir, durable=False)
    state.mirror.set_written(
        page_id,
        digest=digest,
        stamp=file_stamp(path),
        generated_at=page.generated_at,
        route_resolution=page.facts.route_resolution,
    )
    run.on_event(Event("markdown_written", {"url": page.facts.url}))
    return 1


def file_stamp(path: Path | str) -> str:
    """Size and time of a file, or of a link with its name; "" if there is none."""
    try:
        stat = os.stat(path, follow_symlinks=False)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise system_error("cannot read", Path(path), error) from error
    return f"{stat.st_size}:{stat.st_mtime_ns}"


def copy_origin_files(run: ScopeRun, state: ScopeState) -> int:
    """Write the missing files of clean pages; a page whose file is lost or changed in the origin becomes dirty.

    Returns:
        The number of written files.
    """
    origin = state.origin.name()
    if not origin:
        return 0
    source = run.project.mirror_dir / origin
    folder_of = lru_cache(maxsize=1_000)(lambda relative: _folder(run.mirror_dir, relative))
    _make(run.temporary_dir)
    shares = run.project.settings.state.shared_mirror
    written = 0
    for batch in state.mirror.unwritten(_FILES_AT_ONCE):
        lost: list[int] = []
        stamps: list[tuple[int, str]] = []
        for page_id, url, digest, _ in batch:
            name = mirror_name(url)
            above, _, last = name.rpartition("/")
            path = folder_of(above) / last
            if shares and _link(source / name, path, run.temporary_dir, digest):
                stamps.append((page_id, file_stamp(path)))
                continue
            if (text := _unchanged_text(source / name, digest)) is None:
                lost.append(page_id)
                continue
            data = text_of_scope(text, run.scope.name).encode("utf-8")
            _write(path, data, run.temporary_dir)
            stamps.append((page_id, file_stamp(path)))
        state.mirror.set_damaged(lost)
        state.mirror.restamp(stamps)
        written += len(stamps)
    return written


def link_origin_file(run: ScopeRun, state: ScopeState, path: Path, digest: str) -> bool:
    """Share the file of a page with the origin, if the scopes share files and the origin has the same one.

    Args:
        path: In the folder of this scope.
    """
    origin = state.origin.name()
    if not origin or not run.project.settings.state.shared_mirror:
        return False
    _make(path.parent)
    _make(run.temporary_dir)
    source = run.project.mirror_dir / origin / path.relative_to(run.mirror_dir)
    return _link(source, path, run.temporary_dir, digest)


def _link(source: Path, path: Path, temporary_dir: Path, digest: str) -> bool:
    """Replace a file by a hard link, if it is possible and the source is unchanged.

    No run writes into an existing file, so linked files change only if somebody edits one; then each scope repairs its
    own.
    """
    temporary = temporary_dir / f"{TEMPORARY}{secrets.token_hex(6)}"
    try:
        os.link(source, temporary)
        if temporary.is_symlink() or _unchanged_text(temporary, digest) is None:
            return False
        os.replace(temporary, path)
    except OSError:  # no such file, no hard links, too many of them, or another file system
        return False
    finally:
        temporary.unlink(missing_ok=True)  # `replace` leaves it if both are the same file
    return True


def _write(path: Path, data: bytes, temporary_dir: Path) -> None:
    """`write_atomic` without creating the folder: checking it for every file would take a third of the time."""
    with system_errors("cannot write", path), replacing(path, temporary_dir, durable=False) as file:
        os.fchmod(file.fileno(), FILE_MODE)
        file.write(data)


def _unchanged_text(path: Path, digest: str) -> str | None:
    """The text of a file of the origin, if it is unchanged."""
    try:
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    return text if text_digest(text) == digest else None


def _folder(root: Path, relative: str) -> Path:
    """Make a folder of the mirror and return its path.

    Raises:
        UnsafePath: A symbolic link in the mirror leads elsewhere.
    """
    folder = root / relative
    if folder.resolve() != root.resolve() / relative:
        raise UnsafePath(f"{folder} leaves the mirror through a symbolic link; remove the link")
    _make(folder)
    return folder


def _make(folder: Path) -> None:
    with system_errors("cannot write", folder):
        make_folder(folder)
