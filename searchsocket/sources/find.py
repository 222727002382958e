"""Finding the build folder of a project (spec 8.2)."""

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from searchsocket.errors import ConfigMissing
from searchsocket.sources.generators import ReadText, UsedGenerator, used_generators

USUAL_FOLDERS = ("build", ".svelte-kit/output/prerendered/pages", "dist", "out", "public", "_site", "site", "book")
_MAX_ENTRIES = 20_000  # looked at in one folder before it is taken to hold no HTML
_MAX_CONFIG_BYTES = 1_000_000
_MAX_NAMED = 3


@dataclass(frozen=True, slots=True)
class DetectedBuild:
    """Detected build output of a project."""

    folder: str = ""  # project-relative; "" where no folder holds HTML
    generator: str = ""  # that wrote it, where its configuration says so
    candidates_checked: tuple[str, ...] = ()  # folders that could have been it
    notes: tuple[str, ...] = ()  # what a person should know of the choice


def find_build(root: Path) -> DetectedBuild:
    """The build of a project: where its generator writes, else the first usual folder that holds HTML.

    A folder without HTML is none: `public` of many projects holds only images.
    """
    used = used_generators(_reader(root))
    candidates = [(folder, one.name) for one in used for folder in one.folders]
    candidates += [(folder, "") for folder in USUAL_FOLDERS]
    by_folder = dict(reversed(candidates))  # of two that write to one folder, the first
    folders = tuple(dict.fromkeys(folder for folder, _ in candidates))
    holding = [folder for folder in folders if holds_html(root / folder)]
    if not holding:
        return DetectedBuild("", "", folders, tuple(_unbuilt(one) for one in used))
    chosen = holding[0]
    notes = [_computed(one) for one in used if one.computed]
    # Another place of the same generator, what it copies from, and what lies in the taken folder are no other choice.
    own = by_folder[chosen]
    others = [
        name for name in holding[1:] if not _related(name, chosen) and (not own or by_folder[name] not in ("", own))
    ]
    if others:
        named = ", ".join(f"{name}/" for name in others[:_MAX_NAMED])
        notes.append(
            f"{chosen}/ is indexed; {named} also contains HTML; set source.static_output_dir to the right folder"
        )
    if not own and used:
        notes.append(f"{_unbuilt(used[0])}; {chosen}/ is indexed instead")
    return DetectedBuild(chosen, own, folders, tuple(notes))


def configured_build(root: Path, folder: str) -> Path:
    """The build folder that the configuration names.

    Raises:
        ConfigMissing: It is not there.
    """
    path = root / folder
    if not path.is_dir():
        raise ConfigMissing(
            f"source.static_output_dir is {folder!r}, but the folder {path} does not exist; build the site "
            f"first, or fix the setting"
        )
    return path


def generator_of(root: Path, folder: str) -> str:
    """The generator that writes to a folder which the configuration names; "" when none says so."""
    used = used_generators(_reader(root))
    return next((one.name for one in used if os.path.normpath(folder) in one.folders), "")


def uses(root: Path, generator: str) -> bool:
    """Return True if a project has the configuration of a generator, perhaps among others."""
    return any(one.name == generator for one in used_generators(_reader(root)))


def holds_html(folder: Path) -> bool:
    """Return True if there is an HTML file in a folder or below; hidden folders inside do not count."""
    pending = [os.fspath(folder)]
    candidates_checked = 0
    while pending and candidates_checked < _MAX_ENTRIES:
        inner: list[str] = []
        try:
            with os.scandir(pending.pop()) as entries:
                for entry in entries:
                    candidates_checked += 1
                    if entry.name.startswith(".") or entry.name == "node_modules":
                        continue
                    if entry.name.lower().endswith((".html", ".htm")):
                        return True
                    if entry.is_dir(follow_symlinks=False):
                        inner.append(entry.path)
        except OSError:
            continue  # not there, or not ours to read: no build
        pending = [*inner, *pending]
    return False


def _reader(root: Path) -> ReadText:
    """Reads files of a project; each folder is listed once, since most names that are asked for are not there."""

    @cache
    def names(folder: str) -> frozenset[str]:
        try:
            return frozenset(os.listdir(root / folder))  # noqa: PTH208  names are enough
        except OSError:
            return frozenset()

    def read(name: str) -> str | None:
        folder, _, file = name.rpartition("/")
        if file not in names(folder):
            return None
        try:
            with (root / name).open("rb") as opened:
                return opened.read(_MAX_CONFIG_BYTES).decode("utf-8", "replace")
        except OSError:
            return None

    return read


def _unbuilt(used: UsedGenerator) -> str:
    files = " (it contains only prerendered pages)" if used.name == "SvelteKit" else ""
    return f"{used.config} sets {used.name}, but {used.folders[0]}/ contains no HTML{files}"


def _computed(used: UsedGenerator) -> str:
    return (
        f"{used.config}: {used.computed} is computed, so searchsocket uses {used.folders[0]}/; if the build is "
        f"elsewhere, set source.static_output_dir"
    )


def _related(one: str, other: str) -> bool:
    return f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/")
