"""Find the file that makes the page of a URL, by SvelteKit's precedence rules (spec 16.4); list a routes folder."""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cmp_to_key
from heapq import merge
from pathlib import Path
from typing import NamedTuple

from searchsocket.errors import InvalidRequest, UnsafePath
from searchsocket.types import RouteResolution
from searchsocket.web.routes.kit import KitProject, read_kit
from searchsocket.web.routes.segments import (
    InvalidRoute,
    RouteFolder,
    Segment,
    conflicts,
    match,
    parse_route,
    read_folders,
    read_path,
    url_folders,
)
from searchsocket.web.urls.paths import HTML_SUFFIX, canonical_path, path_of_file

_INNER_OPTIONAL = re.compile(r"\[\[[^\]]+\]\](?!(?:/\([^/]+\))*$)")
_DYNAMIC = re.compile(r"\[\[.*?\]\]|\[.*?\]")
_REST = 3
_VERSION = "2"  # of the rules here; part of the digest
_INDEX = re.compile(r"(?:^|/)index$")
_UNKNOWN = KitProject()
_DIFFERS = (
    "SvelteKit 2 and 3 read it differently and the version is unknown, so it is read like version 3; set one "
    "version of @sveltejs/kit in package.json"
)
_MAX_DEPTH = 64
_MAX_FOLDERS = 100_000
_MAX_CONFIG_BYTES = 1_000_000


class _Part(NamedTuple):
    """Literal text, or one bracket of a segment; they alternate, literal first and last."""

    rank: int  # 0 literal, 1 required, 2 optional, 3 rest
    text: str
    matched: bool = False


_ABSENT = (_Part(0, ""),)


def by_precedence(route_ids: list[str]) -> list[str]:
    """Route ids in the order in which SvelteKit tries them.

    Args:
        route_ids: Parents before their children, siblings by name: the framework's comparison is not a total
            order, so the initial order affects the result.
    """
    parts = {route_id: _parts(route_id) for route_id in route_ids}

    def compare(a: str, b: str) -> int:
        return _compare(parts[a], parts[b]) or (1 if _utf16(a) < _utf16(b) else -1)

    return sorted(route_ids, key=cmp_to_key(compare))


def _parts(route_id: str) -> list[tuple[_Part, ...]]:
    # Only optional segments at the end affect the order; earlier ones may be absent.
    return [_split(folder) for folder in url_folders(_INNER_OPTIONAL.sub("", route_id))]


def _split(folder: str) -> tuple[_Part, ...]:
    parts, at = [], 0
    for dynamic in _DYNAMIC.finditer(folder):
        text = dynamic[0]
        rank = 2 if text.startswith("[[") else _REST if text.startswith("[.") else 1
        parts += [_Part(0, folder[at : dynamic.start()]), _Part(rank, text, "=" in text)]
        at = dynamic.end()
    return (*parts, _Part(0, folder[at:]))


def _compare(a: list[tuple[_Part, ...]], b: list[tuple[_Part, ...]]) -> int:
    for i in range(max(len(a), len(b))):
        left = a[i] if i < len(a) else _ABSENT
        right = b[i] if i < len(b) else _ABSENT
        for j in range(max(len(left), len(right))):
            if j % 2 == 0:
                order = _compare_literals(left, right, j)
            elif j >= len(left) or j >= len(right):
                order = -1 if j >= len(left) else 1
            else:
                order = _compare_dynamic(left[j], right[j], _next_literal(a, i, j), _next_literal(b, i, j))
            if order:
                return order
    return 0


def _compare_literals(left: tuple[_Part, ...], right: tuple[_Part, ...], j: int) -> int:
    a, b = left[j].text, right[j].text  # missing dynamic parts were decided before
    if a == b:
        return 0
    if left is _ABSENT or right is _ABSENT:
        return -1 if left is _ABSENT else 1
    # Alphabetical, but `foobar` before `foo`.
    if a.startswith(b) or b.startswith(a):
        return -1 if len(a) > len(b) else 1
    return -1 if _utf16(a) < _utf16(b) else 1


def _compare_dynamic(a: _Part, b: _Part, next_a: str, next_b: str) -> int:
    if a.rank == b.rank == _REST and (next_a or next_b):
        return 0 if next_a and next_b else -1 if next_a else 1
    # `[...rest]/x` precedes `[required]`, but not `[required]/x`.
    if a.rank == _REST:
        return -1 if next_a and not next_b else 1
    if b.rank == _REST:
        return 1 if next_b and not next_a else -1
    if a.matched != b.matched:
        return -1 if a.matched else 1
    return a.rank - b.rank


def _next_literal(segments: list[tuple[_Part, ...]], i: int, j: int) -> str:
    return segments[i][j + 1].text or (segments[i + 1][0].text if i + 1 < len(segments) else "")


def _utf16(text: str) -> bytes:
    """Encode for JavaScript's order, in which characters beyond the basic plane precede some within it."""
    return text.encode("utf-16-be", "surrogatepass")


@dataclass(frozen=True, slots=True)
class Route:
    """One route that may answer a URL."""

    route_id: str
    segments: tuple[Segment, ...]
    page_file: str  # "" for an endpoint
    doubtful: bool  # the framework refuses it: it conflicts with another or has two page files
    shortest: int  # minimum number of URL segments
    longest: int | None  # maximum number of URL segments; None = no limit


@dataclass(frozen=True, slots=True)
class RouteMatch:
    """The route of one URL."""

    route_file: str = ""  # project-relative; "" if no route makes a page there
    route_id: str = ""
    resolution: RouteResolution = "none"
    params: Mapping[str, str] = field(default_factory=dict)


NO_ROUTE = RouteMatch()


@dataclass(frozen=True, slots=True)
class RouteTable:
    """All routes of a project, in the order in which the framework tries them."""

    routes: tuple[Route, ...]
    digest: str  # equal digests mean equal results
    warnings: tuple[str, ...]  # about routes that the framework refuses
    _by_first: Mapping[str, tuple[int, ...]]  # literal first segment -> positions in `routes`
    _others: tuple[int, ...]
    _assets: frozenset[str]  # URLs of HTML files that are copied unchanged
    _named: Mapping[str, RouteMatch]  # canonical URL -> its page route without parameters

    def resolve(self, url: str) -> RouteMatch:
        """Find the route file of a page.

        A matcher is code of the app and is not executed here, so a route with one may or may not match. Then the
        result is the first route that could match, as best-effort (spec 16.4).

        A route `/page.html` is prerendered into the same file as `/page`, so the page at `/page` may come from it.

        Args:
            url: Canonical path, without the base path.
        """
        route = self._resolve(url)
        whole = self._named.get(f"{url}.html")
        if whole is None or self._named.get(url) is not None:
            return route
        return replace(whole, resolution="best-effort") if route.resolution != "none" else whole

    def _resolve(self, url: str) -> RouteMatch:
        path = read_path(url)
        possible: list[tuple[Route, dict[str, str]]] = []
        certain = False
        for route in self._candidates(path):
            params = match(route.segments, path, with_matchers=False)
            certain = params is not None
            if params is None and any(segment.has_matcher for segment in route.segments):
                params = match(route.segments, path, with_matchers=True)
            if params is not None:
                possible.append((route, params))
            if certain:
                break
        pages = [(route, params) for route, params in possible if route.page_file]
        if not pages:
            return NO_ROUTE
        route, params = pages[0]
        if url in self._assets and any(segment.kind != "static" for segment in route.segments):
            return NO_ROUTE  # the static file takes precedence over a route with parameters
        # Several routes with the same page file count as one.
        exact = certain and not route.doubtful and {other.page_file for other, _ in possible} == {route.page_file}
        return RouteMatch(route.page_file, route.route_id, "exact" if exact else "best-effort", params)

    def _candidates(self, path: list[str]) -> Iterator[Route]:
        positions = self._by_first.get(path[0] if path else "", ())
        for position in merge(positions, self._others):
            route = self.routes[position]
            if route.shortest <= len(path) and (route.longest is None or len(path) <= route.longest):
                last = route.segments[-1] if route.segments else None
                if last is None or last.kind != "static" or last.text == path[-1]:
                    yield route


def route_table(files: Iterable[str], kit: KitProject = _UNKNOWN) -> RouteTable:
    """Read a routes folder from its file names alone.

    Args:
        files: Project-relative POSIX paths, in any order: those of the routes folder, and HTML below the static folder,
            which is served without a route; other files are ignored.
        kit: Facts of the project.
    """
    files = sorted(set(files))
    folders, warnings = read_folders(files, kit)
    if folders:
        warnings += kit.warnings
    assets = frozenset(url for file in files if (url := _asset_url(file, kit.static_dir)))
    segments: dict[str, tuple[Segment, ...]] = {}
    doubtful: dict[str, str] = {}
    for folder in folders:
        try:
            segments[folder.route_id] = parse_route(folder.route_id, kit.version or 3)
        except InvalidRoute as error:
            warnings.append(f"route {folder.route_id}: {error}; the route is ignored")
            continue
        if kit.version is None and _differs(folder.route_id, segments[folder.route_id]):
            doubtful[folder.route_id] = ""
            warnings.append(f"route {folder.route_id}: {_DIFFERS}")
    doubtful |= (in_conflict := conflicts(segments))
    warnings += [
        f"routes {first} and {second} claim the same URLs" for first, second in in_conflict.items() if first < second
    ]
    by_id = {folder.route_id: folder for folder in folders}
    routes = tuple(
        _route(by_id[route_id], segments[route_id], route_id in doubtful) for route_id in by_precedence([*segments])
    )
    by_first: dict[str, list[int]] = {}
    others: list[int] = []
    for position, route in enumerate(routes):
        first = route.segments[0] if route.segments else Segment("static")
        (by_first.setdefault(first.text, []) if first.kind == "static" else others).append(position)
    return RouteTable(
        routes,
        _digest(routes, assets, kit),
        tuple(sorted(warnings)),
        {first: tuple(positions) for first, positions in by_first.items()},
        tuple(others),
        assets,
        _named_pages(routes),
    )


def route_url(route_id: str) -> str | None:
    """The only URL of a route, canonical; None if it has parameters.

    Raises:
        InvalidRoute: The framework refuses a route of this name.
        InvalidRequest: Its URL is too long.
    """
    return _url_of(parse_route(route_id))


def _differs(route_id: str, segments: tuple[Segment, ...]) -> bool:
    """Return True if version 2 reads a route id differently, or not at all."""
    try:
        return parse_route(route_id, 2) != segments
    except InvalidRoute:
        return True


def _route(folder: RouteFolder, segments: tuple[Segment, ...], is_doubtful: bool) -> Route:
    kinds = [segment.kind for segment in segments]
    is_unlimited = "rest" in kinds or any(segment.tail for segment in segments)
    duplicate = max(len(folder.components), len(folder.universal), len(folder.server)) > 1
    return Route(
        folder.route_id,
        segments,
        folder.page_file,
        doubtful=is_doubtful or duplicate,
        shortest=sum(kind not in ("rest", "optional") for kind in kinds),
        longest=None if is_unlimited else len(kinds),
    )


def _url_of(segments: tuple[Segment, ...]) -> str | None:
    if any(segment.kind != "static" for segment in segments):
        return None
    return canonical_path("/".join(segment.text for segment in segments))


def _named_pages(routes: tuple[Route, ...]) -> dict[str, RouteMatch]:
    matches: dict[str, RouteMatch] = {}
    for route in routes:
        try:
            url = _url_of(route.segments)
        except InvalidRequest:
            continue  # no page can have that URL
        if url is not None and route.page_file:
            resolution: RouteResolution = "best-effort" if route.doubtful else "exact"
            matches.setdefault(url, RouteMatch(route.page_file, route.route_id, resolution))
    return matches


def _asset_url(file: str, static_dir: str) -> str:
    """The URL of an HTML file of the static folder, as in the built site; "" for other files."""
    name = file.removeprefix(f"{static_dir}/")
    if name == file or not HTML_SUFFIX.search(name):
        return ""
    try:
        return path_of_file(_INDEX.sub("", HTML_SUFFIX.sub("", name)))
    except InvalidRequest:
        return ""


def _digest(routes: tuple[Route, ...], assets: frozenset[str], kit: KitProject) -> str:
    lines = [f"{route.route_id}\0{route.page_file}\0{route.doubtful}" for route in routes]
    rules = f"{_VERSION} {kit.version or 3}"
    return hashlib.sha256("\n".join([rules, *lines, "", *sorted(assets)]).encode()).hexdigest()


def scan_project(root: Path, routes_dir: str = "", static_dir: str = "") -> KitProject:
    """Read the SvelteKit facts of a project on disk. The arguments override its folders; "" = not set."""

    def read(name: str) -> str | None:
        try:
            with (root / name).open("rb") as file:
                return file.read(_MAX_CONFIG_BYTES).decode("utf-8-sig", "replace")
        except OSError:
            return None  # usually, it does not exist

    return read_kit(read, routes_dir, static_dir)


def scan_routes(root: Path, kit: KitProject) -> RouteTable:
    """Scan the routes of a project's working tree; an empty table if the folder does not exist.

    Links are followed as in the framework, but not out of the project.

    Raises:
        UnsafePath: The routes folder points out of the project.
    """
    root = root.resolve()
    start = (root / kit.routes_dir).resolve()
    if not start.is_relative_to(root):
        raise UnsafePath(f"routes folder {kit.routes_dir!r} points out of {root}")
    faults: list[str] = []
    files = list(_walk(root, start, kit.routes_dir, faults)) if start.is_dir() else []
    static = root / kit.static_dir
    if files and static.is_dir() and static.resolve() == static:
        files += [file for file in _walk(root, static, kit.static_dir, faults) if HTML_SUFFIX.search(file)]
    table = route_table(files, kit)
    return replace(table, warnings=tuple(sorted([*table.warnings, *faults])))


def _walk(root: Path, start: Path, name: str, faults: list[str]) -> Iterator[str]:
    pending: list[tuple[Path, str, tuple[str, ...]]] = [(start, name, (os.fspath(start),))]
    folders = 0
    while pending:
        folder, prefix, above = pending.pop()
        folders += 1
        if folders > _MAX_FOLDERS:
            faults.append(f"{name}: more than {_MAX_FOLDERS} folders; the rest is ignored")
            return
        try:
            with os.scandir(folder) as entries:
                in_order = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            faults.append(f"{prefix}: cannot be read: {error.strerror or error}")
            continue
        for entry in in_order:
            path = f"{prefix}/{entry.name}" if prefix else entry.name
            if not entry.is_dir():
                yield path
            elif entry.name == "node_modules":
                continue
            elif inner := _enter(root, entry, above):
                pending.append((Path(inner), path, (*above, inner)))
            else:
                faults.append(f"{path}: ignored: the link points out of the project or to one of its parents")


def _enter(root: Path, entry: os.DirEntry[str], above: tuple[str, ...]) -> str:
    """The real path of a folder; "" if it must not be entered."""
    real = os.path.realpath(entry.path) if entry.is_symlink() else entry.path
    inside = real == os.fspath(root) or real.startswith(os.fspath(root) + os.sep)
    return real if inside and real not in above and len(above) < _MAX_DEPTH else ""
