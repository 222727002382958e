"""Pages of a built site: HTML files in a folder (spec 8.2, A)."""

import hashlib
import os
import re
import time
import unicodedata
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from html import unescape
from itertools import islice
from pathlib import Path
from urllib.parse import quote

from searchsocket.content.pages import RawPage, document_kind
from searchsocket.errors import InvalidRequest, SourceUnavailable
from searchsocket.project.settings.source_kinds import STATIC_OUTPUT
from searchsocket.sources.base import Excluder, Source, SourceOrigin, SourceReport
from searchsocket.sources.build_folder import BuildFolder, stem
from searchsocket.sources.files import MAX_DEPTH, modified_inside, read_inside, stamp_of, usable
from searchsocket.system.locators import locator_of
from searchsocket.types import VersionFamily
from searchsocket.web.urls.form import AS_FILES, Addresses, LinkVotes, UrlForm
from searchsocket.web.urls.paths import canonical_path, is_index, join_name, path_depth, path_of_file
from searchsocket.web.urls.resolve import AT_ROOT, SiteBase, resolve_address, resolve_base, served_under
from searchsocket.web.versions.families import VersionPage, VersionRules, find_families
from searchsocket.web.versions.names import FILE, MAX_BYTES, read_listed

_VERSION = "2"  # of the sample and the counting
_FOLDERS = 24  # listed, from the top
_FILES_A_FOLDER = 24
_FILES = 40
_ENOUGH = 300  # distinct addresses; more do not change the result
_BYTES = 300_000  # read of each file; a page may begin with its styles
_TOTAL_BYTES = 2_500_000  # after which no further file is read
_SITEMAPS = ("sitemap.xml", "sitemap-0.xml")
# No `<` in a tag, so that each is read once, however broken the page is.
_HREF = re.compile(rb"""<a(?=\s)[^<>]*?\shref\s*=\s*(?:"([^"<>]*)"|'([^'<>]*)'|([^\s"'<>]+))""", re.IGNORECASE)
_LINK = re.compile(rb"<link(?=\s)([^<>]*)", re.IGNORECASE)
_BASE = re.compile(rb"""<base(?=\s)[^<>]*?\shref\s*=\s*["']?([^"'<>\s]+)""", re.IGNORECASE)
_CANONICAL = re.compile(rb"""\srel\s*=\s*["']?canonical\b""", re.IGNORECASE)
_CANONICAL_HREF = re.compile(rb"""\shref\s*=\s*["']?([^"'<>\s]+)""", re.IGNORECASE)
_LOCATION = re.compile(rb"<loc>\s*([^<\s]+)\s*</loc>")
_SAME_EVERYWHERE = (b"/", b"http:", b"https:", b"mailto:")
_HOST = re.compile(r"https?://[^/?#]*", re.IGNORECASE)
_MAX_PAGES = 50_000
_DOCUSAURUS = "/docs"  # its usual folder of documentation


def form_of_build(root: str, build: BuildFolder, site: SiteBase, previous: UrlForm | None = None) -> UrlForm:
    """Detect the form of a build's addresses, from links and canonical tags of sample pages, and the sitemap.

    Args:
        root: Real path of the build folder.
        build: The lister of this folder.
        site: Where the links expect the site.
        previous: Result of an earlier run; returned if the sample is unchanged.
    """
    top = os.path.join(root, build.top)
    sample = _sample(build)
    evidence = _evidence(top, [*sample, *_SITEMAPS], f"{_VERSION} {site}")
    if previous is not None and previous.evidence == evidence:
        return previous
    votes = LinkVotes(lambda name: os.path.isfile(os.path.join(top, name)))  # noqa: PTH113  called for every link
    for name in _SITEMAPS:
        for location in _LOCATION.findall(_read(top, name)):
            if votes.links < _ENOUGH:
                _count(votes, _HOST.sub("", _text(location)), "/", site)
    size, counted = 0, set[tuple[str, bytes]]()
    for name in sample:
        if votes.links >= _ENOUGH or size >= _TOTAL_BYTES:
            break
        data = _read(top, name)
        size += len(data)
        _count_page(votes, data, name, site, counted)
    return replace(votes.form(), evidence=evidence)


def _sample(build: BuildFolder) -> list[str]:
    """Sample the upper folders, some pages of each, in a mixed order; paths are relative to the top folder."""
    sample: list[str] = []
    folders = deque([build.top])
    for _ in range(_FOLDERS):
        if not folders:
            break
        folder = folders.popleft()
        files: list[str] = []
        for name, is_folder in sorted(build.list(folder)):
            path = f"{folder}/{name}" if folder else name
            (folders if is_folder else files).append(path)
        sample += islice(files, 0, None, max(1, len(files) // _FILES_A_FOLDER))
    below = len(build.top) + 1 if build.top else 0
    return sorted((path[below:] for path in sample), key=_shuffle_key)[:_FILES]


def _shuffle_key(name: str) -> bytes:
    return hashlib.sha1(os.fsencode(name), usedforsecurity=False).digest()


def _evidence(top: str, names: list[str], how: str) -> str:
    """A digest that changes with the files of the sample and the way of counting."""
    total = hashlib.sha256(how.encode("utf-8", "surrogatepass"))
    for name in names:
        try:
            info = os.stat(os.path.join(top, name))
        except OSError:
            continue
        total.update(os.fsencode(f"{name}\0{info.st_size}\0{info.st_mtime_ns}\0"))
    return total.hexdigest()[:32]


def _read(top: str, name: str) -> bytes:
    path = Path(top, name)
    try:
        if not path.is_file():  # a pipe would block the run
            return b""
        with path.open("rb") as file:
            return file.read(_BYTES)
    except OSError:
        return b""  # listing the pages will report the error


def _count_page(votes: LinkVotes, data: bytes, name: str, site: SiteBase, counted: set[tuple[str, bytes]]) -> None:
    """Count the links of a page, except those in `counted` as (folder, address), such as repeated menu links."""
    try:
        served = path_of_file(name)
    except InvalidRequest:
        return
    if is_index(name.rpartition("/")[2]):
        served = served.rpartition("/")[0] + "/"
    if base := _BASE.search(data):
        served = resolve_base(_text(base[1]), served, site)
    for link in _LINK.finditer(data):
        if _CANONICAL.search(link[1]) and (href := _CANONICAL_HREF.search(link[1])):
            _count(votes, _HOST.sub("", _text(href[1])), "/", site)
    folder = served.rpartition("/")[0]
    for address in map(_address, _HREF.finditer(data)):
        key = ("" if address.startswith(_SAME_EVERYWHERE) else folder, address)
        if key not in counted:
            counted.add(key)
            _count(votes, _text(address), served, site)


def _count(votes: LinkVotes, href: str, served: str, site: SiteBase) -> None:
    if href:
        try:
            path = resolve_address(href, served, site)
        except InvalidRequest:
            return
        if path is not None:
            votes.count(path)


def _address(match: re.Match[bytes]) -> bytes:
    """An href without its fragment, so that links to several sections of a page count once."""
    return (match[1] or match[2] or match[3] or b"").partition(b"#")[0]


def _text(value: bytes) -> str:
    text = value.decode("utf-8", "replace").strip()
    return unescape(text) if "&" in text else text


@dataclass(slots=True)
class _Node:
    """All files and folders of one URL and the URLs below it; usually one file or one folder."""

    files: list[str] = field(default_factory=list)  # paths relative to the build folder
    folders: list[str] = field(default_factory=list)
    as_page: str = ""  # the URL that its address is derived from, if it differs


class StaticOutputSource:
    """HTML files of a build folder, by rising URL; only one branch of the tree is in memory at a time."""

    kind = STATIC_OUTPUT

    def __init__(
        self,
        folder: Path,
        *,
        site: SiteBase = AT_ROOT,
        exclude: Sequence[str] = (),
        max_page_bytes: int = 20_000_000,
        now_ns: Callable[[], int] = time.time_ns,
        origin: SourceOrigin | None = None,
        notes: Sequence[str] = (),
        url_form: UrlForm | None = None,
        previous_form: UrlForm | None = None,
        documents: bool = False,
    ) -> None:
        """
        Args:
            folder: The build folder.
            site: Where the site is served; its base path is removed if the build folder contains it.
            exclude: Globs over URL paths.
            max_page_bytes: A larger file is a failed page.
            now_ns: The clock that the files' times are compared with.
            origin: The folder, as shown to people, and its generator.
            notes: Notes about the choice of the folder; warnings of every run.
            url_form: The form of the addresses; None = as in the site's own links.
            previous_form: The form that an earlier run detected.
            documents: Include PDF, Word and OpenDocument files.
        """
        self.origin = origin or SourceOrigin(self.kind.mode, str(folder))
        self._notes = list(notes)
        self._folder = folder
        self._root = os.path.realpath(folder)
        self._site = site
        self._base = site.path.removeprefix("/")
        self._excludes = bool(exclude)
        self._excluded = Excluder(exclude)
        self._max_page_bytes = max_page_bytes
        self._now_ns = now_ns
        self._url_form = url_form
        self._previous_form = previous_form
        self._documents = documents
        self._addresses = Addresses()
        self.report = SourceReport()

    def pages(self) -> Iterator[RawPage]:
        """Yield every page, each URL once, by rising URL.

        Raises:
            SourceUnavailable: The build folder is missing or cannot be listed.
        """
        self.report = report = SourceReport(warnings=list(self._notes))
        try:
            os.scandir(self._root).close()
            build = BuildFolder(self._root, self._base, report, documents=self._documents)
            html = BuildFolder(self._root, self._base, SourceReport()) if self._documents else build
        except OSError as error:
            raise SourceUnavailable(f"build folder {self._folder}: {error.strerror or error}") from error
        report.url_form = self._url_form or form_of_build(self._root, html, self._site, self._previous_form)
        self._addresses = Addresses(report.url_form, self._site.path)
        if (prefix := report.url_form.prefix) and not self._site.path:
            report.warnings.append(
                f"most links begin with {prefix}, but no page does; if the site is served below it, set "
                f'source.base_path = "{prefix}", or results lead to pages that do not exist'
            )
        count = 0
        for page in self._walk(build, "/", _Node([build.page] if build.page else [], [build.top]), 0):
            count += 1
            yield page
        if not count:
            report.warnings.append(f"{self._folder} contains no pages")
        report.complete = count > 0 and not report.failed

    def read(self, page: RawPage) -> bytes:
        """Read the current bytes of a page.

        Raises:
            SourceUnavailable: The page cannot be read (gone, too large, outside the build folder).
        """
        return read_inside(self._root, page.locator, self._max_page_bytes)

    def side_file(self, name: str, max_bytes: int) -> bytes:
        """Read a file that is not a page, in the top folder of the site.

        Raises:
            SourceUnavailable: It does not exist, is too large, or is outside the build folder.
        """
        try:
            top = BuildFolder(self._root, self._base, SourceReport()).top
        except OSError as error:
            raise SourceUnavailable(f"build folder {self._folder}: {error.strerror or error}") from error
        return read_inside(self._root, f"{top}/{name}" if top else name, max_bytes)

    def modified(self, locator: str) -> float | None:
        """Return the file's modification time."""
        return modified_inside(self._root, locator)

    def _walk(self, build: BuildFolder, url: str, node: _Node, depth: int) -> Iterator[RawPage]:
        """Yield the page at `url`, then all below it. Folders whose names are equal in URLs are merged."""
        indexes: list[str] = []
        children: dict[str, _Node] = {}
        for folder in node.folders:
            if depth > MAX_DEPTH:
                self.report.skipped[locator_of(folder)] = f"more than {MAX_DEPTH} folders deep"
                continue
            for name, is_folder in build.list(folder):
                path = f"{folder}/{name}" if folder else name
                if not is_folder and is_index(name):
                    indexes.append(path)
                    continue
                child = self._child(url, name if is_folder else stem(name), path)
                if child:
                    below = children.setdefault(child, _Node())
                    (below.folders if is_folder else below.files).append(path)
        # If two files fit, use the order of spec 8.2: `docs/index.html` before `docs.html`.
        yield from self._one_page(url, [*sorted(indexes), *sorted(node.files)], node.as_page)
        self._set_apart(build, children)
        for child in sorted(children):
            yield from self._walk(build, child, children[child], depth + 1)

    def _child(self, url: str, name: str, path: str) -> str:
        try:
            return join_name(url, name)
        except InvalidRequest as error:
            self.report.skipped[locator_of(path)] = str(error)
            return ""

    def _set_apart(self, build: BuildFolder, children: dict[str, _Node]) -> None:
        """Make `wal.html` beside `wal/index.html` a separate page if addresses contain the suffix."""
        if self._addresses.form.flat != "suffix":
            return
        for url, node in [*children.items()]:
            if node.files and any(is_index(name) for folder in node.folders for name, _ in build.list(folder)):
                own = canonical_path(self._addresses.form.address(url, node.files[0]))
                children.setdefault(own, _Node(as_page=url)).files += node.files
                node.files = []

    def _one_page(self, url: str, paths: list[str], as_page: str) -> Iterator[RawPage]:
        first = ""
        for path in paths:
            locator = locator_of(path)
            if first:
                self.report.skipped[locator] = "another file has the same URL"
                self.report.warnings.append(f"{locator} and {first} both have the URL {url}; {first} is used")
            elif page := self._page(url, path, locator, as_page):
                first = locator
                yield page
            elif locator in self.report.failed:
                return  # another file must not replace one that could not be read

    def _page(self, url: str, path: str, locator: str, as_page: str) -> RawPage | None:
        name = path.rpartition("/")[2]
        if self._excludes and (self._excluded(url) or self._excluded(AS_FILES.address(url.rstrip("/"), name))):
            self.report.skipped[locator] = "excluded"
            return None
        info = usable(self._root, path, self._max_page_bytes, self.report)
        if info is None:
            return None
        stamp = stamp_of(info, self._now_ns())
        if kind := document_kind(name):
            return RawPage(url, url, locator, stamp, kind, self._site.path + url if self._site.path else "")
        written = _as_written(as_page or url, path)
        address = self._addresses.of(written, name) or written
        return RawPage(url, self._served_url(url, path), locator, stamp, address="" if address == url else address)

    def _served_url(self, url: str, path: str) -> str:
        if is_index(path.rpartition("/")[2]):
            return f"{url.rstrip('/')}/"
        # The root page as `docs.html` is served at `/docs`, not at `/docs/`.
        return served_under(f"/{self._base}", f"/{self._base}") if url == "/" else url


def _as_written(url: str, path: str) -> str:
    """The URL with the letters of its file's name: hosts do not compose them as canonical paths do."""
    if unicodedata.is_normalized("NFC", path):
        return url
    folder, _, name = path.rpartition("/")
    segments = (folder if is_index(name) else f"{folder}/{stem(name)}").split("/")[-path_depth(url) :]
    return "/" + "/".join(quote(segment, errors="surrogateescape") for segment in segments)


def listed_texts(source: Source) -> Mapping[str, str]:
    """The contents of the site's `versions.json`, by the URL path of its folder; "" = the root."""
    with suppress(SourceUnavailable):
        if isinstance(source, StaticOutputSource):
            return {"": source.side_file(FILE, MAX_BYTES).decode("utf-8", "replace")}
    return {}


def versions_of_build(folder: Path, project_list: str = "") -> tuple[VersionFamily, ...]:
    """The versions in a build folder. A run also uses titles, metas, canonical links and settings.

    Args:
        project_list: The `versions.json` of a Docusaurus project, which its build does not contain.
    """
    source = StaticOutputSource(folder)
    try:
        pages = [VersionPage(page.url) for page in islice(source.pages(), _MAX_PAGES)]
    except SourceUnavailable:
        return ()
    texts = {_DOCUSAURUS: project_list, **listed_texts(source)}
    listed = {parent: read_listed(text) for parent, text in texts.items()}
    return find_families(pages, listed, VersionRules())
