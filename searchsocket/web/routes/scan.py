"""List a routes folder on disk."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from searchsocket.errors import UnsafePath
from searchsocket.web.routes.kit import KitProject, read_kit
from searchsocket.web.routes.table import RouteTable, route_table

_HTML = (".html", ".htm")
_MAX_DEPTH = 64
_MAX_FOLDERS = 100_000
_MAX_CONFIG_BYTES = 1_000_000


def scan_project(root: Path, routes_dir: str = "", static_dir: str = "") -> KitProject:
    """Read the SvelteKit facts of a project on disk. The arguments override its folders; "" = not set."""

    def read(name: str) -> str | None:
        try:
            with (root / name).open("rb") as file:
                return file.read(_MAX_CONFIG_BYTES).decode("utf-8", "replace")
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
        files += [file for file in _walk(root, static, kit.static_dir, faults) if file.lower().endswith(_HTML)]
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
