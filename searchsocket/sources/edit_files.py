"""List the files of a project that the pages of its site may be made from."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from searchsocket.content.edit_files import MARKUP, EditFiles
from searchsocket.errors import SourceUnavailable
from searchsocket.sources.build_folder import project_generators
from searchsocket.sources.files import read_inside
from searchsocket.system.locators import locator_of

_MAX_FILES = 20_000
_MAX_DEPTH = 30
_MAX_BYTES = 1_000_000
_NO_SOURCES = frozenset({
    "node_modules", "vendor", "venv", "__pycache__", "target",
    "_includes", "_layouts", "layouts",
})  # fmt: skip
_HTML = (".html", ".htm", ".njk", ".liquid")
# Endings of pages besides markup.
_ENDINGS: Mapping[str, tuple[str, ...]] = {
    "Jekyll": _HTML, "Hugo": (*_HTML, ".org"), "Eleventy": _HTML, "Hexo": _HTML, "Astro": (".astro",),
    "Nuxt": (".vue",), "Sphinx": (".ipynb",), "Jupyter Book": (".ipynb",), "MkDocs": (".ipynb",),
    "Quarto": (".qmd", ".ipynb"),
}  # fmt: skip
_REACT = (".js", ".jsx", ".tsx")  # pages of Docusaurus in a folder of this name
_PAGES = "/pages/"


def list_edit_files(root: Path, build: str) -> EditFiles | None:
    """List the project's files with markup, or templates of pages; None for a site without a generator.

    Args:
        build: Folder of the built site, project-relative; "" if it is unknown.
    """
    generators = project_generators(root)
    if not generators:
        return None
    outputs = {build, *(folder for used in generators for folder in used.folders)}
    endings = {*MARKUP, *(ending for used in generators for ending in _ENDINGS.get(used.name, ()))}
    has_react = any(used.name == "Docusaurus" for used in generators)
    names = [
        name
        for name in _names(os.fspath(root), outputs)
        if name.lower().endswith(tuple(endings)) or (has_react and _PAGES in name and name.endswith(_REACT))
    ]

    def read(name: str) -> str | None:
        try:
            return read_inside(os.fspath(root), name, _MAX_BYTES).decode("utf-8", "replace")
        except SourceUnavailable:
            return None

    return EditFiles(sorted(names)[:_MAX_FILES], read)


def _names(root: str, outputs: set[str]) -> Iterator[str]:
    """Yield the files of a project, except hidden ones, packages and built sites."""
    pending = [("", 0)]
    while pending:
        folder, depth = pending.pop()
        try:
            with os.scandir(os.path.join(root, folder)) as entries:
                for entry in entries:
                    name = locator_of(f"{folder}/{entry.name}" if folder else entry.name)
                    if entry.name.startswith(".") or entry.name in _NO_SOURCES or name in outputs:
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        if depth < _MAX_DEPTH:
                            pending.append((name, depth + 1))
                    else:
                        yield name
        except OSError:
            continue  # not readable: its pages have no file
