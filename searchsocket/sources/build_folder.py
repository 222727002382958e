"""List a build folder: HTML files, folders of pages, and the reason for each skipped entry."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from searchsocket.content.pages import document_kind
from searchsocket.sources.base import SourceReport
from searchsocket.sources.files import is_inside
from searchsocket.system.locators import locator_of
from searchsocket.web.urls.paths import HTML_SUFFIX, is_index

# Pages that hosts serve for missing pages. Only at the top, since inside a site `/404` can be real content.
FALLBACKS = frozenset({"200", "404", "500", "_error", "_not-found"})
_LANGUAGE = re.compile(r"[a-z]{2}(?:-[A-Za-z]{2,4})?")  # name of a folder with the site in one language
_ASSETS = frozenset({"_static", "_gatsby"})  # of themes, whose templates are HTML by name


class BuildFolder:
    """Lists folders of a build one by one; paths are relative to it, with forward slashes."""

    def __init__(self, root: str, base: str, report: SourceReport, *, documents: bool = False) -> None:
        """
        Args:
            root: Real path of the build folder.
            base: The site's base path without its leading slash; "" for none.
            report: Collects skipped and failed entries.
            documents: Include PDF, Word and OpenDocument files.
        """
        self._is_page = _is_page_or_document if documents else is_html
        self._root = root
        self._report = report
        self.page, self.top = self._find_top(base)  # the file of `/` beside the top folder, if any; the top folder

    def list(self, folder: str) -> Iterator[tuple[str, bool]]:
        """Yield (name, is a folder) of entries in `folder` that may lead to pages; others are added to the report."""
        try:
            with os.scandir(os.path.join(self._root, folder)) as entries:
                for entry in entries:
                    path = f"{folder}/{entry.name}" if folder else entry.name
                    is_folder = self._is_folder(entry, path)
                    if is_folder is None or not (is_folder or self._is_page(entry.name)):
                        continue
                    if reason := self._why_not(folder, entry, path, is_folder):
                        self._report.skipped[locator_of(path)] = reason
                    else:
                        yield entry.name, is_folder
        except OSError as error:
            self._report.failed[locator_of(folder) or "."] = f"cannot be listed: {error.strerror or error}"

    def _find_top(self, base: str) -> tuple[str, str]:
        """The folder of the base path if all pages are in it, as prerenderers write them; otherwise the root."""
        if not base or not Path(self._root, base).is_dir():
            return "", ""
        first = base.split("/")[0]
        with os.scandir(self._root) as entries:
            others = sorted(entry.name for entry in entries if entry.name not in (first, f"{first}.html"))
        if any(is_html(name) and stem(name) not in FALLBACKS for name in others):
            return "", ""  # a folder of the site happens to have the name of its base path
        for name in others:
            if is_html(name) or Path(self._root, name).is_dir():
                self._report.skipped[locator_of(name)] = "outside the base path"
        page = f"{base}.html"
        return page if Path(self._root, page).is_file() else "", base

    def _is_folder(self, entry: os.DirEntry[str], path: str) -> bool | None:
        try:
            return entry.is_dir()
        except OSError as error:
            if entry.is_symlink():  # a circular link
                self._report.skipped[locator_of(path)] = "a broken link"
            else:
                self._report.failed[locator_of(path)] = f"cannot be read: {error.strerror or error}"
            return None

    def _why_not(self, folder: str, entry: os.DirEntry[str], path: str, is_folder: bool) -> str:
        name = entry.name
        if name.startswith("."):
            return "hidden"
        if is_folder and name == "node_modules":
            return "not part of the site"
        if is_folder and name == "_app" and folder in ("", self.top):
            return "templates of the app"
        if is_folder and name in _ASSETS:
            return "assets of the generator"
        if (
            stem(name) == "404"
            and _LANGUAGE.fullmatch(folder.removeprefix(self.top).strip("/"))
            and self._has_own_404()
        ):
            return "error page"
        if folder == self.top and (self._is_lone_fallback(path, name) if is_folder else stem(name) in FALLBACKS):
            return "error page"
        return self._why_not_link(path, is_folder) if entry.is_symlink() else ""

    def _has_own_404(self) -> bool:
        return Path(self._root, self.top, "404.html").is_file()

    def _is_lone_fallback(self, path: str, name: str) -> bool:
        """Return True if this is `404/` with only its index page."""
        if name not in FALLBACKS:
            return False
        try:
            return all(is_index(inner.name) for inner in Path(self._root, path).iterdir())
        except OSError:
            return False  # the listing will fail too, and report it

    def _why_not_link(self, path: str, is_folder: bool) -> str:
        """The reason not to follow a link; "" if it is the only path to a page of this build."""
        target = os.path.realpath(os.path.join(self._root, path))
        if not is_inside(target, self._root):
            return "a link that points out of the build folder"
        if not Path(target).exists():
            return "a broken link"
        inner = os.path.relpath(target, self._root).replace(os.sep, "/")
        if is_folder:
            return f"symbolic link to the folder {locator_of(inner)}"
        hidden = any(part.startswith(".") for part in inner.split("/"))
        return "" if hidden or not self._is_page(inner) else f"symbolic link to {locator_of(inner)}"


def root_of_site(build: Path, base: str) -> Path:
    """The root of the site on its host: the build folder, or its folder of the base path, see `BuildFolder`.

    Args:
        base: Base path of the site, from `normalise_prefix`.
    """
    return build / BuildFolder(os.path.realpath(build), base.removeprefix("/"), SourceReport()).top


def is_html(name: str) -> bool:
    """Return True if a file name is HTML."""
    return bool(HTML_SUFFIX.search(name))


def _is_page_or_document(name: str) -> bool:
    return is_html(name) or document_kind(name) is not None


def stem(name: str) -> str:
    """A file name without its HTML suffix: `INSTALL.md.html` is `INSTALL.md`."""
    return HTML_SUFFIX.sub("", name)
