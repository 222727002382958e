"""Roles of the files in a routes folder, from their names."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from searchsocket.web.routes.kit import KitProject

_COMPONENTS = (".svelte.mdx", ".svelte.md", ".svelte", ".md", ".svx", ".mdx")
_MODULES = (".js", ".ts")
_TESTS = (".test.", ".spec.", ".stories.")
_MAX_OPTIONALS = 6  # per route in the search for conflicts: each doubles the number of forms


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
