"""What the files of a routes folder are, by their names alone."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import product

_COMPONENT = re.compile(r"\+(page|layout|error)(?:@(.*?))?\.(?:svelte\.mdx?|svelte|md|svx|mdx)")
_MODULE = re.compile(r"\+(page|layout|server)(@[\w-]*)?(\.server)?(?:\.d)?\.(?:js|ts)", re.ASCII)
_TESTS = (".test.", ".spec.", ".stories.")
_ROUTE_SUFFIXES = (".svelte", ".md", ".svx", ".mdx", ".js", ".ts")
_MAX_OPTIONALS = 6  # of one route, when conflicts are looked for: each doubles the forms


@dataclass(slots=True)
class RouteFolder:
    """One folder with route files; every list holds one file unless the framework refuses the tree."""

    route_id: str
    components: list[str] = field(default_factory=list)
    universal: list[str] = field(default_factory=list)  # +page.ts
    server: list[str] = field(default_factory=list)  # +page.server.ts
    endpoints: list[str] = field(default_factory=list)  # +server.ts

    @property
    def page_file(self) -> str:
        """The file that a person would open to change the page; "" when the folder makes none."""
        pages = self.components or self.universal or self.server
        return pages[0] if pages else ""


def read_folders(files: Iterable[str], routes_dir: str) -> tuple[list[RouteFolder], list[str]]:
    """Group route files by their folder.

    Args:
        files: Project-relative POSIX paths; those outside `routes_dir` and those that make no route are passed over.
        routes_dir: Project-relative POSIX path.

    Returns:
        Folders that make pages or endpoints, parents first, siblings by name; and what the framework would refuse.
    """
    prefix = f"{routes_dir}/" if routes_dir else ""
    folders: dict[str, RouteFolder] = {}
    warnings: list[str] = []
    layouts: dict[tuple[str, str], str] = {}
    for file in sorted(set(files)):
        folder, _, name = file.removeprefix(prefix).rpartition("/")
        if not file.startswith(prefix) or not name.startswith("+") or any(mark in name for mark in _TESTS):
            continue
        if any("\ud800" <= char <= "\udfff" for char in file):
            warnings.append(f"{file!a}: the name is not UTF-8; it is passed over")
            continue
        route_id = "/" + folder
        kind = _classify(name)
        if kind in ("", "types"):
            if kind == "" and name.endswith(_ROUTE_SUFFIXES):
                warnings.append(f"{file}: files prefixed with + are reserved; no route is made of it")
            continue
        warnings += _missing_layout(file, name, route_id)
        if kind.startswith(("layout", "error")):
            if (route_id, kind) in layouts:
                warnings.append(f"{file}: a second {kind} beside {layouts[route_id, kind]}")
            layouts.setdefault((route_id, kind), file)
            continue
        found: list[str] = getattr(folders.setdefault(route_id, RouteFolder(route_id)), kind)
        if found:
            warnings.append(f"{file}: a second file for the same part of the route, beside {found[0]}")
        found.append(file)
    return sorted(folders.values(), key=lambda folder: folder.route_id.split("/")), warnings


def conflicts(route_ids: Iterable[str]) -> dict[str, str]:
    """Routes that claim the same URLs as another: route id -> the other one."""
    seen: dict[str, str] = {}
    found: dict[str, str] = {}
    for route_id in route_ids:
        for form in _forms(route_id):
            other = seen.setdefault(form, route_id)
            if other != route_id:
                found.setdefault(route_id, other)
                found.setdefault(other, route_id)
    return found


def _classify(name: str) -> str:
    """A field of `RouteFolder`, `layout ...`, `error`, `types` for declarations, or "" for none of them."""
    if match := _COMPONENT.fullmatch(name):
        return "components" if match[1] == "page" else f"{match[1]} component"
    match = _MODULE.fullmatch(name)
    if match is None or match[2] is not None or (match[1] == "server" and match[3]):
        return ""  # only components may name a layout
    if ".d." in name:
        return "types"
    part = "server" if match[3] else "universal"
    return {"server": "endpoints", "page": part, "layout": f"layout {part}"}[match[1]]


def _missing_layout(file: str, name: str, route_id: str) -> list[str]:
    named = _COMPONENT.fullmatch(name)
    if named is None or not named[2] or named[2] in route_id.split("/"):
        return []
    return [f"{file}: there is no folder {named[2]!r} above it to take the layout from"]


def _forms(route_id: str) -> list[str]:
    """A route id without names and groups, once with and once without each inner optional segment."""
    text = re.sub(r"(?<=/)\([^/]+?\)(?=/|$)", "", route_id)
    text = re.sub(
        r"\[(?![ux]\+)(\[|\.\.\.)?.+?(=.+?)?\]\]?",
        lambda found: f"<{'?' if found[1] == '[' else found[1] or ''}{found[2] or '*'}>",
        text,
    )
    pieces = re.split(r"(<\?.+?>)", text)
    optionals = pieces[1::2]
    if (text.rstrip("/").endswith(">") and pieces[-1].strip("/") == "") or len(optionals) > _MAX_OPTIONALS:
        optionals = []
        choices = [[text]]
    else:
        choices = [["", piece.replace("?", "")] if piece in optionals else [piece] for piece in pieces]
    return ["/".join(part for part in "".join(choice).split("/") if part) for choice in product(*choices)]
