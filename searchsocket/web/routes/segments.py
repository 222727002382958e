"""Names in a routes folder: segments of a route id, matched with URLs, and the roles of files."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import unquote, unquote_to_bytes

from searchsocket.web.routes.kit import KitProject, KitVersion

MAX_SEGMENTS = 200  # of one route; matching recurses once per segment
_GROUP = re.compile(r"\([^)]+\)")
_PART = re.compile(r"\[(.+?)\](?!\])")
_PARAM: dict[KitVersion, re.Pattern[str]] = {
    2: re.compile(r"(\[)?(\.\.\.)?(\w+)(?:=(\w+))?(\])?", re.ASCII),
    3: re.compile(r"(\[)?(\.\.\.)?([\w-]+)(?:=([\w-]+))?(\])?", re.ASCII),
}
_RESERVED = re.compile(r"%(2[3-6BCF]|3[ABDF]|40)", re.IGNORECASE)  # # $ % & + , / : ; = ? @
_ESCAPE = re.compile(r"\[([ux])\+([^\]]+)\]", re.IGNORECASE)

SegmentKind = Literal["static", "param", "optional", "rest", "mixed"]

_COMPONENTS = (".svelte.mdx", ".svelte.md", ".svelte", ".md", ".svx", ".mdx")
_MODULES = (".js", ".ts")
_TESTS = (".test.", ".spec.", ".stories.")
_MAX_OPTIONALS = 6  # per route in the search for conflicts: each doubles the number of forms


class InvalidRoute(ValueError):
    """The framework refuses a route with this name."""


@dataclass(frozen=True, slots=True)
class Segment:
    """One folder of a route that takes part in the URL."""

    kind: SegmentKind
    text: str = ""  # of a static segment, decoded and NFC
    names: tuple[str, ...] = ()  # parameters, in order
    has_matcher: bool = False  # a matcher of the app decides too; it cannot be executed here
    head: re.Pattern[str] | None = None  # of a mixed segment: all of it, or the part before its rest parameter
    tail: re.Pattern[str] | None = None  # the rest parameter and the part after it


def url_folders(route_id: str) -> list[str]:
    """The folders of a route id that are part of the URL: all but the `(groups)`."""
    return [part for part in route_id.split("/") if part and not _GROUP.fullmatch(part)]


def parse_route(route_id: str, version: KitVersion = 3) -> tuple[Segment, ...]:
    """Parse a route id such as `/docs/[[lang]]/[...rest]`. Version 3 accepts everything that version 2 accepts.

    Raises:
        InvalidRoute: The framework refuses it.
    """
    _check(route_id, version)
    return tuple(_parse_segment(folder, version) for folder in url_folders(route_id))


def match(segments: Sequence[Segment], path: Sequence[str], *, with_matchers: bool) -> dict[str, str] | None:
    """Match a URL; return the parameters of the route, or None if it does not match.

    Args:
        segments: The segments of the route.
        path: The segments of the URL, from `read_path`.
        with_matchers: True lets parameters with a matcher match any value.
    """
    dead: set[tuple[int, int]] = set()  # keeps the search polynomial

    def walk(i: int, j: int) -> dict[str, str] | None:
        if i == len(segments):
            return {} if j == len(path) else None
        if (i, j) in dead:
            return None
        segment = segments[i]
        for count in _lengths(segment, len(path) - j, with_matchers):
            values = _bind(segment, path[j : j + count])
            remaining_values = walk(i + 1, j + count) if values is not None else None
            if values is not None and remaining_values is not None:
                return values | remaining_values
        dead.add((i, j))
        return None

    parameters = walk(0, 0)
    return None if parameters is None else {name: unquote(value) for name, value in parameters.items()}


def _lengths(segment: Segment, remaining: int, with_matchers: bool) -> range:
    """The possible numbers of URL segments, in the framework's order."""
    may_bind = with_matchers or not segment.has_matcher
    if segment.kind == "rest":
        return range(remaining, -1, -1) if may_bind else range(0)
    if segment.kind == "optional":
        return range(min(remaining, 1) if may_bind else 0, -1, -1)
    if segment.tail is not None:
        return range(1, remaining + 1) if may_bind else range(0)
    return range(1, min(remaining, 1) + 1) if may_bind else range(0)


def _bind(segment: Segment, parts: Sequence[str]) -> dict[str, str] | None:
    if segment.kind == "static":
        return {} if parts[0] == segment.text else None
    if segment.kind == "mixed":
        return _bind_mixed(segment, parts)
    return {segment.names[0]: "/".join(parts)} if parts or segment.kind == "rest" else {}


def _bind_mixed(segment: Segment, parts: Sequence[str]) -> dict[str, str] | None:
    assert segment.head is not None
    if segment.tail is None:
        whole = segment.head.fullmatch(parts[0])
        return dict(zip(segment.names, whole.groups(), strict=True)) if whole else None
    head = segment.head.match(parts[0])
    if head is None:
        return None
    before = parts[0][head.end() :]
    tail = segment.tail.fullmatch(parts[-1] if len(parts) > 1 else before)
    if tail is None:
        return None
    rest, *after = tail.groups()
    if len(parts) > 1:
        rest = "/".join([before, *parts[1:-1], rest])
    return dict(zip(segment.names, [*head.groups(), rest, *after], strict=True))


def _check(route_id: str, version: KitVersion) -> None:
    if route_id.count("/") > MAX_SEGMENTS:
        raise InvalidRoute(f"more than {MAX_SEGMENTS} folders deep")
    if "][" in _ESCAPE.sub(lambda match: _unescape(match[1], match[2], version), route_id):
        raise InvalidRoute("parameters must be separated")
    if route_id.count("[") != route_id.count("]"):
        raise InvalidRoute("brackets are unbalanced")
    if "#" in route_id:
        raise InvalidRoute("`#` must be written `[x+23]`")
    if re.search(r"\[\.\.\.[\w-]+\]/\[\[", route_id):
        raise InvalidRoute("an [[optional]] segment cannot follow a [...rest] segment")
    if "[[..." in route_id:
        raise InvalidRoute("a rest segment is always optional; remove the outer brackets")


def _unescape(kind: str, code: str, version: KitVersion) -> str:
    if kind == "x" and re.fullmatch(r"[0-9a-f]{2}", code):
        return chr(int(code, 16))
    if kind == "u" and re.fullmatch(r"[0-9a-f]{4,6}", code) and int(code, 16) <= 0x10FFFF:
        return chr(int(code, 16) & 0xFFFF if version == 2 else int(code, 16))  # version 2 keeps 16 bits of it
    raise InvalidRoute(f"[{kind}+{code}] is not a character escape")


def _parse_segment(folder: str, version: KitVersion) -> Segment:
    parts = _PART.split(folder)  # literal, parameter, literal, ... literal
    literals, params = [parts[0]], []
    for content, literal in zip(parts[1::2], parts[2::2], strict=True):
        escape = re.fullmatch(r"([ux])\+(.+)", content)
        if escape:
            literals[-1] += _unescape(escape[1], escape[2], version) + literal
            continue
        param = _PARAM[version].fullmatch(content)
        if param is None:
            raise InvalidRoute(f"[{content}] is not a parameter")
        params.append(param)
        literals.append(literal)
    literals = [_as_in_urls(literal) for literal in literals]
    if not params:
        return Segment("static", literals[0])
    names = tuple(param[3] for param in params)
    has_matcher = any(param[4] for param in params)
    if len(params) == 1 and literals == ["", ""]:
        kind: SegmentKind = "rest" if params[0][2] else "optional" if params[0][1] else "param"
        return Segment(kind, names=names, has_matcher=has_matcher)
    return _parse_mixed(literals, params, names, has_matcher)


def _parse_mixed(
    literals: list[str], params: list[re.Match[str]], names: tuple[str, ...], has_matcher: bool
) -> Segment:
    rests = [i for i, param in enumerate(params) if param[2]]
    if len(rests) > 1:
        raise InvalidRoute("more than one rest parameter in a segment")
    cut = rests[0] if rests else len(params)
    pieces = [re.escape(literals[0])]
    for i, (param, literal) in enumerate(zip(params, literals[1:], strict=True)):
        value = "(.*?)" if param[1] or param[2] else "(.+?)"
        # Atomic group: the shortest value before the next literal is always right, so backtracking is not needed.
        last = i == len(params) - 1
        pieces.append(value + re.escape(literal) if last else f"(?>{value}{re.escape(literal)})")
    head = re.compile("".join(pieces[: cut + 1]), re.DOTALL)
    tail = re.compile("".join(pieces[cut + 1 :]), re.DOTALL) if rests else None
    return Segment("mixed", names=names, has_matcher=has_matcher, head=head, tail=tail)


def read_path(url: str) -> list[str]:
    """The segments of a URL path as the framework compares them: escaped reserved characters stay escaped."""
    return [_decode(part) for part in url.split("/") if part]


def _decode(part: str) -> str:
    protected = _RESERVED.sub(lambda match: "%25" + match[1].upper(), part)
    octets = unquote_to_bytes(protected.encode("utf-8", "surrogatepass"))
    return unicodedata.normalize("NFC", octets.decode("utf-8", "surrogateescape"))


def _as_in_urls(literal: str) -> str:
    # Two escaped halves of a surrogate pair become one character.
    text = literal.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return unicodedata.normalize("NFC", re.sub("[%/?#]", lambda match: f"%{ord(match[0]):02X}", text))


@dataclass(slots=True)
class RouteFolder:
    """One folder with route files; each list has one file, unless the framework refuses the project."""

    route_id: str
    components: list[str] = field(default_factory=list)
    universal: list[str] = field(default_factory=list)  # +page.ts
    server: list[str] = field(default_factory=list)  # +page.server.ts
    endpoints: list[str] = field(default_factory=list)  # +server.ts

    @property
    def page_file(self) -> str:
        """The file to edit for a change of the page; "" if the folder makes no page."""
        pages = self.components or self.universal or self.server
        return pages[0] if pages else ""


def read_folders(files: Iterable[str], kit: KitProject) -> tuple[list[RouteFolder], list[str]]:
    """Group route files by their folder.

    Args:
        files: Project-relative POSIX paths; files outside the routes folder and files that make no route are
            ignored.
        kit: Facts of the project.

    Returns:
        Folders that make pages or endpoints, parents first, siblings by name; and warnings about invalid files.
    """
    prefix = f"{kit.routes_dir}/" if kit.routes_dir else ""
    names = _Names(kit)
    folders: dict[str, RouteFolder] = {}
    warnings: list[str] = []
    layouts: dict[tuple[str, str], str] = {}
    for file in sorted(set(files)):
        folder, _, name = file.removeprefix(prefix).rpartition("/")
        if not file.startswith(prefix) or not name.startswith("+") or any(mark in name for mark in _TESTS):
            continue
        if any("\ud800" <= char <= "\udfff" for char in file):
            warnings.append(f"{file!a}: ignored: the name is not UTF-8")
            continue
        route_id = "/" + folder
        kind = names.kind(name)
        if kind in ("", "types"):
            if kind == "" and name.endswith(names.endings):
                warnings.append(f"{file}: ignored: SvelteKit reserves names that start with +")
            elif kind == "" and not kit.has_literal_endings:
                warnings.append(f"{file}: ignored: {kit.config_file} computes the file extensions of routes")
            continue
        warnings += names.missing_layout(file, name, route_id)
        if kind.startswith(("layout", "error")):
            if (route_id, kind) in layouts:
                warnings.append(f"{file}: duplicate {kind} next to {layouts[route_id, kind]}")
            layouts.setdefault((route_id, kind), file)
            continue
        names_of_kind: list[str] = getattr(folders.setdefault(route_id, RouteFolder(route_id)), kind)
        if names_of_kind:
            warnings.append(f"{file}: duplicate file for the same part of the route, next to {names_of_kind[0]}")
        names_of_kind.append(file)
    return sorted(folders.values(), key=lambda folder: folder.route_id.split("/")), warnings


def conflicts(route_ids: Iterable[str]) -> dict[str, str]:
    """Routes that claim the same URLs: route id -> the other route id."""
    by_form: dict[str, str] = {}
    others: dict[str, str] = {}
    for route_id in route_ids:
        for form in _forms(route_id):
            other = by_form.setdefault(form, route_id)
            if other != route_id:
                others.setdefault(route_id, other)
                others.setdefault(other, route_id)
    return others


class _Names:
    """Meaning of file names in one project."""

    def __init__(self, kit: KitProject) -> None:
        components, modules = (*kit.components, *_COMPONENTS), (*kit.modules, *_MODULES)
        self.endings = (*components, *modules)
        self._component = re.compile(rf"\+(page|layout|error)(?:@(.*?))?(?:{_any_of(components)})")
        self._module = re.compile(
            rf"\+(page|layout|server)(@[\w-]*)?(\.server)?(?:\.d)?(?:{_any_of(modules)})", re.ASCII
        )

    def kind(self, name: str) -> str:
        """A field of `RouteFolder`, `layout ...`, `error`, `types` for declarations, or "" for other files."""
        if match := self._component.fullmatch(name):
            return "components" if match[1] == "page" else f"{match[1]} component"
        match = self._module.fullmatch(name)
        if match is None or match[2] is not None or (match[1] == "server" and match[3]):
            return ""  # only components may name a layout
        if ".d." in name:
            return "types"
        part = "server" if match[3] else "universal"
        return {"server": "endpoints", "page": part, "layout": f"layout {part}"}[match[1]]

    def missing_layout(self, file: str, name: str, route_id: str) -> list[str]:
        component = self._component.fullmatch(name)
        if component is None or not component[2] or component[2] in route_id.split("/"):
            return []
        return [f"{file}: no parent folder {component[2]!r} exists for this layout"]


def _any_of(endings: Iterable[str]) -> str:
    return "|".join(map(re.escape, endings))


def _forms(route_id: str) -> list[str]:
    """The forms of a route id without names and groups, with and without each inner optional segment."""
    text = re.sub(r"(?:(?<=/)|^)\(.+?\)(?=/|$)", "", route_id)
    text = re.sub(r"\[[ux]\+([0-9a-f]{1,6})\]", _character, text)
    text = re.sub(
        r"\[(?:(\[)|(\.\.\.))?.+?(=.+?)?\]\]?",
        lambda match: f"<{'?' if match[1] else ''}{match[2] or ''}{match[3] or '*'}>",
        text,
    )
    pieces = re.split(r"<\?(.+?)>", text)
    # Like the framework, treat a text with an optional last segment as one without inner optional segments.
    is_last = re.search(r"<\?.+?>$", text) is not None
    if is_last or len(pieces) // 2 > _MAX_OPTIONALS:
        forms = [text]
    else:
        forms = [pieces[0]]
        for name, literal in zip(pieces[1::2], pieces[2::2], strict=True):
            forms = [
                form + piece + literal
                for form in forms
                for piece in ("", f"<{name}>")
                if not (piece == "<*>" and form.endswith("//"))
            ]
    # Like the framework, merge only the first run of slashes.
    return [re.sub("/{2,}", "/", form, count=1).removeprefix("/").removesuffix("/") for form in forms]


def _character(escape: re.Match[str]) -> str:
    code = int(escape[1], 16)
    return chr(code).replace("/", "%2f") if code <= 0x10FFFF else escape[0]
