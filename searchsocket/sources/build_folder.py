"""Find the build folder of a project (spec 8.2), and list it: HTML files, folders, and reasons for skipped entries."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from searchsocket.content.markdown.heading_ids import STYLES
from searchsocket.content.pages import document_kind
from searchsocket.errors import ConfigMissing
from searchsocket.sources.base import SourceReport
from searchsocket.sources.files import is_inside
from searchsocket.sources.generators import ReadText, UsedGenerator, site_name, used_generators
from searchsocket.system.locators import locator_of
from searchsocket.web.urls.paths import HTML_SUFFIX, is_index

USUAL_FOLDERS = ("build", ".svelte-kit/output/prerendered/pages", "dist", "out", "public", "_site", "site", "book")
_MAX_ENTRIES = 20_000  # checked in one folder before it counts as without HTML
_MAX_CONFIG_BYTES = 1_000_000
_MAX_NAMED = 3

# Pages that hosts serve for missing pages. Only at the top, since inside a site `/404` can be real content.
FALLBACKS = frozenset({"200", "404", "500", "_error", "_not-found"})
_LANGUAGE = re.compile(r"[a-z]{2}(?:-[A-Za-z]{2,4})?")  # name of a folder with the site in one language
_ASSETS = frozenset({"_static", "_gatsby"})  # of themes, whose templates are HTML by name


@dataclass(frozen=True, slots=True)
class DetectedBuild:
    """Detected build output of a project."""

    folder: str = ""  # project-relative; "" if no folder contains HTML
    generator: str = ""  # that wrote it, if a configuration names the folder
    candidates_checked: tuple[str, ...] = ()  # folders that were checked
    notes: tuple[str, ...] = ()  # notes for people about the choice


def find_build(root: Path) -> DetectedBuild:
    """Find the build: the output folder of the configured generator, else the first usual folder with HTML.

    A folder without HTML does not count: `public` contains only images in many projects.
    """
    generators = used_generators(reader_of(root))
    candidates = [(folder, generator.name) for generator in generators for folder in generator.folders]
    candidates += [(folder, "") for folder in USUAL_FOLDERS]
    by_folder = dict(reversed(candidates))  # of two that write to one folder, the first
    folders = tuple(dict.fromkeys(folder for folder, _ in candidates))
    with_html = [folder for folder in folders if holds_html(root / folder)]
    if not with_html:
        return DetectedBuild("", "", folders, tuple(_unbuilt_note(generator) for generator in generators))
    chosen = with_html[0]
    notes = [_computed_note(generator) for generator in generators if generator.computed]
    # No alternatives: other output folders of the same generator, its input, and folders inside the chosen one.
    own = by_folder[chosen]
    others = [
        name
        for name in with_html[1:]
        if not _are_related(name, chosen) and (not own or by_folder[name] not in ("", own))
    ]
    if others:
        examples = ", ".join(f"{name}/" for name in others[:_MAX_NAMED])
        notes.append(
            f"{chosen}/ is indexed; {examples} also contains HTML; set source.static_output_dir to the right folder"
        )
    if not own and generators:
        notes.append(f"{_unbuilt_note(generators[0])}; {chosen}/ is indexed instead")
    return DetectedBuild(chosen, own, folders, tuple(notes))


def configured_build(root: Path, folder: str) -> Path:
    """Return the configured build folder.

    Raises:
        ConfigMissing: It does not exist.
    """
    path = root / folder
    if not path.is_dir():
        raise ConfigMissing(
            f"source.static_output_dir is {folder!r}, but the folder {path} does not exist; build the site "
            f"first, or fix the setting"
        )
    return path


def generator_of(root: Path, folder: str) -> str:
    """The generator that writes to a configured folder; "" if no configuration names it."""
    generators = used_generators(reader_of(root))
    return next((generator.name for generator in generators if os.path.normpath(folder) in generator.folders), "")


def project_generators(root: Path) -> list[UsedGenerator]:
    """Return the generators that a project is configured for, see `used_generators`."""
    return used_generators(reader_of(root))


def configured_name(root: Path) -> str:
    """Return the name of a project's site in the configuration of its generator; "" if none states it."""
    read = reader_of(root)
    return next(filter(None, (site_name(read, used) for used in used_generators(read))), "")


def heading_ids_of(root: Path) -> str:
    """The generator of a project, if it gives headings other ids than GitHub; "" otherwise, or if it is configured."""
    read = reader_of(root)
    used = next(iter(used_generators(read)), None)
    return used.name if used and used.name in STYLES and "slug" not in (read(used.config) or "") else ""


def uses(root: Path, generator: str) -> bool:
    """Return True if a project has the configuration of a generator, perhaps among others."""
    return any(used.name == generator for used in project_generators(root))


def holds_html(folder: Path) -> bool:
    """Return True if a folder or its subfolders contain an HTML file; hidden folders are skipped."""
    pending = [os.fspath(folder)]
    checked = 0
    while pending and checked < _MAX_ENTRIES:
        inner: list[str] = []
        try:
            with os.scandir(pending.pop()) as entries:
                for entry in entries:
                    checked += 1
                    if entry.name.startswith(".") or entry.name == "node_modules":
                        continue
                    if HTML_SUFFIX.search(entry.name):
                        return True
                    if entry.is_dir(follow_symlinks=False):
                        inner.append(entry.path)
        except OSError:
            continue  # missing or not readable: not a build
        pending = [*inner, *pending]
    return False


def reader_of(root: Path) -> ReadText:
    """Return a reader of project files; each folder is listed once, since most requested files do not exist."""

    @cache
    def names(folder: str) -> frozenset[str]:
        try:
            return frozenset(path.name for path in (root / folder).iterdir())
        except OSError:
            return frozenset()

    def read(name: str) -> str | None:
        folder, _, file = name.rpartition("/")
        if file not in names(folder):
            return None
        try:
            with (root / name).open("rb") as stream:
                return stream.read(_MAX_CONFIG_BYTES).decode("utf-8-sig", "replace")
        except OSError:
            return None

    return read


def _unbuilt_note(used: UsedGenerator) -> str:
    files = " (it contains only prerendered pages)" if used.name == "SvelteKit" else ""
    return f"{used.config} sets {used.name}, but {used.folders[0]}/ contains no HTML{files}"


def _computed_note(used: UsedGenerator) -> str:
    return (
        f"{used.config}: {used.computed} is computed, so searchsocket uses {used.folders[0]}/; if the build is "
        f"elsewhere, set source.static_output_dir"
    )


def _are_related(first: str, second: str) -> bool:
    return f"{first}/".startswith(f"{second}/") or f"{second}/".startswith(f"{first}/")


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
