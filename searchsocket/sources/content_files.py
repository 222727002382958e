"""Markdown and mdsvex files of the working tree, and their URLs (spec 8.2, C).

A route's page file (`+page.md`) has the URL of its route. For other files, the URL is the path below the fixed part of
the matching glob: with `content/**/*.md`, `content/blog/x.md` is `/blog/x`; `index.md` and `README.md` are
the page of their folder. The rules of the site's generator change this, see `content_rules`.
"""

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from pathspec import GitIgnoreSpec

from searchsocket.content.pages import RawPage
from searchsocket.errors import ConfigError, InvalidRequest, SourceUnavailable
from searchsocket.project.settings.source_kinds import CONTENT_FILES
from searchsocket.sources.base import Excluder, SourceOrigin, SourceReport
from searchsocket.sources.build_folder import reader_of
from searchsocket.sources.content_rules import ContentRules, content_rules
from searchsocket.sources.files import MAX_DEPTH, is_inside, modified_inside, open_inside, read_inside, stamp_of, usable
from searchsocket.system.locators import locator_of
from searchsocket.web.routes.kit import clean_dir
from searchsocket.web.routes.segments import InvalidRoute
from searchsocket.web.routes.table import route_url
from searchsocket.web.urls.form import AT_THEIR_URLS, Addresses
from searchsocket.web.urls.paths import canonical_path, join_name, page_path, sort_key

_NOT_CONTENT = frozenset({"node_modules", "__pycache__"})
_SUFFIX = re.compile(r"\.(?:md|mdx|svx|markdown)$", re.IGNORECASE)
_RANKS = 6  # of files with one URL, per glob
_PAGE = re.compile(r"\+page(?:@.*)?\.(?:svelte\.mdx?|md|mdx|svx)")
_MAGIC = re.compile(r"[*?\[!\\]")
_MAX_FRONT_BYTES = 70_000  # front matter that is longer is ignored


@dataclass(frozen=True, slots=True)
class ContentPage:
    """Position of a file on the site."""

    url: str = ""
    served_url: str = ""
    rank: int = 0  # if two files have one URL, the lower rank is used
    skip: str = ""  # reason why it has no URL; "" if it has one


class ContentPaths:
    """The globs of a project, compiled, to match files and determine their URLs."""

    def __init__(self, rules: ContentRules, routes_dir: str) -> None:
        """
        Args:
            rules: Their globs have the syntax of `.gitignore`, but for included files.
            routes_dir: The routes folder, relative to the same root as the globs.

        Raises:
            ConfigError: A glob cannot be read, or points out of the root.
        """
        self.globs = globs = [folder.glob for folder in rules.folders]
        self._rules = rules
        self._routes_dir = clean_dir(routes_dir)
        for glob in globs:
            if ".." in glob.split("/") or glob.startswith("/"):
                raise ConfigError(f"source.content_files.globs: {glob!r} must stay below base_dir, without `..` or `/`")
        try:
            self._specs = [(GitIgnoreSpec.from_lines([glob]), _fixed_folder(glob)) for glob in globs]
        except (ValueError, TypeError) as error:
            raise ConfigError(f"source.content_files.globs: {error}") from error

    def folders(self) -> list[str]:
        """The folders to list, none inside another."""
        folders = sorted({folder for _, folder in self._specs})
        return [
            folder
            for folder in folders
            if not any(folder != above and (above == "" or folder.startswith(f"{above}/")) for above in folders)
        ]

    def matches(self, path: str) -> bool:
        """Return True if any glob matches this relative path."""
        return any(spec.match_file(path) for spec, _ in self._specs)

    def page_at(self, path: str, start_of: Callable[[str], bytes]) -> ContentPage:
        """The URL of a relative path that a glob matches.

        Args:
            start_of: Reads the start of a file, for its front matter; b"" if it cannot be read.
        """
        rank, folder = next((i, folder) for i, (spec, folder) in enumerate(self._specs) if spec.match_file(path))
        name = path.rpartition("/")[2]
        try:
            if _PAGE.fullmatch(name):
                return self._page_of_route(path, folder, rank)
            if not _SUFFIX.search(name):
                return ContentPage(skip="not Markdown")
            if name.startswith("+"):
                return ContentPage(skip="not the page file of its route")
            if self._rules.skips and self._rules.skips.search(path):
                return ContentPage(skip=f"no page of {self._rules.generator or 'GitBook or Docsify'}")
            page = self._page_of_file(path[len(folder) :].strip("/"), rank)
            stated = self._rules.folders[rank].stated
            return page if stated is None else _at_stated_address(page, stated, start_of(path))
        except (InvalidRequest, InvalidRoute) as error:
            return ContentPage(skip=str(error))

    def _page_of_route(self, path: str, folder: str, rank: int) -> ContentPage:
        inside = self._routes_dir and path.startswith(f"{self._routes_dir}/")
        folders = path[len(self._routes_dir if inside else folder) :].strip("/").split("/")[:-1]
        url = route_url("/" + "/".join(folders))
        if url is None:
            return ContentPage(skip="its route has parameters, so it has no fixed URL")
        return ContentPage(url, url, rank * _RANKS)

    def _page_of_file(self, inner: str, rank: int) -> ContentPage:
        *folders, name = inner.split("/")
        stem, rules = _SUFFIX.sub("", name), self._rules
        url, part_of = rules.folders[rank].url, rules.folders[rank].name
        for folder in folders:
            url = join_names(url, part_of(folder))
        own = part_of(stem).lower()
        if own in rules.folder_pages:
            number = 1 + list(rules.folder_pages).index(own)
        elif rules.has_twins and folders and stem == folders[-1]:
            number = _RANKS - 2
        else:
            url = join_names(url, part_of(stem))
            return ContentPage(url, url, rank * _RANKS + _RANKS - 1)
        return ContentPage(url, f"{url.rstrip('/')}/", rank * _RANKS + number)


def _at_stated_address(
    page: ContentPage, stated: Callable[[Mapping[str, object], str], str], start: bytes
) -> ContentPage:
    """The page at the address that its front matter states; its links are still relative to its path."""
    from searchsocket.content.markdown.page import split_front_matter  # loads lxml

    front, _, _ = split_front_matter(start.decode("utf-8", "replace").replace("\r\n", "\n"))
    address = stated(front, page.url)
    return replace(page, url=page_path(canonical_path(address))) if address else page


def join_names(url: str, names: str) -> str:
    """Like `join_name`, for several names with slashes between them."""
    for name in names.split("/"):
        url = join_name(url, name)
    return url


def _fixed_folder(glob: str) -> str:
    """The folders of a glob before its first wildcard."""
    fixed: list[str] = []
    for part in glob.split("/")[:-1]:
        if _MAGIC.search(part):
            break
        fixed.append(part)
    return "/".join(part for part in fixed if part not in ("", "."))


class ContentFilesSource:
    """Files that match the globs, with the URL that follows from their path (see `content_paths`)."""

    kind = CONTENT_FILES

    def __init__(
        self,
        root: Path,
        globs: Sequence[str],
        *,
        are_globs_chosen: bool = True,
        routes_dir: str = "src/routes",
        exclude: Sequence[str] = (),
        max_page_bytes: int = 20_000_000,
        now_ns: Callable[[], int] = time.time_ns,
        origin: SourceOrigin | None = None,
        notes: Sequence[str] = (),
        addresses: Addresses = AT_THEIR_URLS,
    ) -> None:
        """
        Args:
            root: The folder that the globs are relative to.
            globs: E.g. `content/**/*.md`.
            are_globs_chosen: As in `content_rules`.
            routes_dir: The routes folder, relative to `root`.
            exclude: Globs over URL paths.
            max_page_bytes: A larger file is a failed page.
            now_ns: The clock that the files' times are compared with.
            origin: The folder, as shown to people.
            notes: Notes about the choice of this source; warnings of every run.
            addresses: Makes the addresses of pages.
        """
        rules = content_rules(reader_of(root), globs, are_chosen=are_globs_chosen)
        origin = origin or SourceOrigin(self.kind.mode, str(root))
        self.origin = replace(origin, generator=rules.generator)
        self._notes = list(notes)
        self._folder = root
        self._root = os.path.realpath(root)
        self._paths = ContentPaths(rules, routes_dir)
        self._excluded = Excluder(exclude)
        self._max_page_bytes = max_page_bytes
        self._now_ns = now_ns
        self._addresses = addresses
        self.report = SourceReport()

    def pages(self) -> Iterator[RawPage]:
        """Yield every page, each URL once, by rising URL.

        Raises:
            SourceUnavailable: The folder is missing or cannot be listed.
        """
        self.report = report = SourceReport(warnings=list(self._notes))
        try:
            os.scandir(self._root).close()
        except OSError as error:
            raise SourceUnavailable(f"content folder {self._folder}: {error.strerror or error}") from error
        stamps: dict[str, str] = {}

        def is_usable(path: str) -> bool:
            info = usable(self._root, path, self._max_page_bytes, report)
            if info is not None:
                stamps[path] = stamp_of(info, self._now_ns())
            return info is not None

        count = 0
        for url, served_url, path in one_file_each(
            self._paths, self._matching_files(), report, self._excluded, is_usable, self._start_of
        ):
            count += 1
            address = self._addresses.of_served(url, served_url)
            yield RawPage(url, served_url, locator_of(path), stamps[path], "markdown", address)
        if not count:
            report.warnings.append(f"no content file below {self._folder} matches {', '.join(self._paths.globs)}")
        report.complete = count > 0 and not report.failed

    def read(self, page: RawPage) -> bytes:
        """Read the current bytes of a page.

        Raises:
            SourceUnavailable: The page cannot be read (gone, too large, outside the root).
        """
        return read_inside(self._root, page.locator, self._max_page_bytes)

    def modified(self, locator: str) -> float | None:
        """Return the file's modification time."""
        return modified_inside(self._root, locator)

    def _start_of(self, path: str) -> bytes:
        with suppress(SourceUnavailable), open_inside(self._root, locator_of(path)) as file:
            return file.read(_MAX_FRONT_BYTES)
        return b""

    def has_pages(self) -> bool:
        """Return True if any file matches the globs; stops at the first."""
        return Path(self._root).is_dir() and next(self._matching_files(), None) is not None

    def _matching_files(self) -> Iterator[str]:
        """Yield relative paths of files that a glob matches, folder by folder, in any order."""
        pending = [(folder, 0) for folder in self._paths.folders()]
        while pending:
            folder, depth = pending.pop()
            try:
                with os.scandir(os.path.join(self._root, folder)) as entries:
                    items = [(entry.name, entry.is_dir(follow_symlinks=False), entry.is_symlink()) for entry in entries]
            except (FileNotFoundError, NotADirectoryError):
                continue  # the project has no folder for a default glob
            except OSError as error:
                self.report.failed[locator_of(folder) or "."] = f"cannot be listed: {error.strerror or error}"
                continue
            for name, is_folder, is_link in items:
                path = f"{folder}/{name}" if folder else name
                if is_folder:
                    if not name.startswith(".") and name not in _NOT_CONTENT and depth < MAX_DEPTH:
                        pending.append((path, depth + 1))
                elif self._paths.matches(path) and not (is_link and self._is_refused_link(path)):
                    yield path

    def _is_refused_link(self, path: str) -> bool:
        target = os.path.realpath(os.path.join(self._root, path))
        if not is_inside(target, self._root):
            self.report.skipped[locator_of(path)] = "a link that points out of the content folder"
            return True
        inner = os.path.relpath(target, self._root).replace(os.sep, "/")
        if self._paths.matches(inner) or not Path(target).exists():
            self.report.skipped[locator_of(path)] = f"symbolic link to {locator_of(inner)}"
            return True
        return False


def one_file_each(
    paths: ContentPaths,
    files: Iterable[str],
    report: SourceReport,
    excluded: Callable[[str], bool],
    is_usable: Callable[[str], bool],
    start_of: Callable[[str], bytes],
) -> Iterator[tuple[str, str, str]]:
    """Yield the file of each URL, as (url, served_url, path) by rising URL; skipped files are added to the report.

    Args:
        is_usable: Returns True if a file can be a page; otherwise adds the reason to the report. If a file failed, no
            other file replaces it.
        start_of: As in `ContentPaths.page_at`.
    """
    by_url: dict[str, list[tuple[tuple[int, str], str, str]]] = {}
    for path in files:
        page = paths.page_at(path, start_of)
        if page.skip:
            report.skipped[locator_of(path)] = page.skip
        elif excluded(page.url):
            report.skipped[locator_of(path)] = "excluded"
        else:
            by_url.setdefault(page.url, []).append(((page.rank, path), page.served_url, path))
    for url in sorted(by_url, key=sort_key):
        first = ""
        for _, served_url, path in sorted(by_url[url]):
            locator = locator_of(path)
            if first:
                report.skipped[locator] = "another file has the same URL"
                report.warnings.append(f"{locator} and {first} both have the URL {url}; the latter is used")
            elif is_usable(path):
                first = locator
                yield url, served_url, path
            elif locator in report.failed:
                break
