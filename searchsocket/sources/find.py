"""Find the build folder of a project (spec 8.2)."""

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from searchsocket.content.markdown.heading_ids import STYLES
from searchsocket.errors import ConfigMissing
from searchsocket.sources.generators import ReadText, UsedGenerator, site_name, used_generators
from searchsocket.web.urls.paths import HTML_SUFFIX

USUAL_FOLDERS = ("build", ".svelte-kit/output/prerendered/pages", "dist", "out", "public", "_site", "site", "book")
_MAX_ENTRIES = 20_000  # checked in one folder before it counts as without HTML
_MAX_CONFIG_BYTES = 1_000_000
_MAX_NAMED = 3


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
