"""Names of versions: recognise and order them, distinguish releases from previews, and read lists in `versions.json`.

Labels connect records with versions: `@version=PARENT/_FACET`, one for each version of a page. No facet of the settings
can have this name.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import NamedTuple
from urllib.parse import urlsplit

from searchsocket.types import SiteVersion, VersionFamily

MAX_NAME_CHARS = 60
_MAX_PLAIN = 99  # a larger plain number is an id or a year
_LAST = 1 << 30  # `1.x` is newer than every 1.n
_NUMBERED = re.compile(
    r"(?P<start>v|version-|versions-|ver-|release-|releases-|rel-|branch-)?(?P<numbers>\d{1,8}(?:\.\d{1,8}){0,4})(?P<x>[.-]x)?"
    r"(?:[-._+]?(?P<stage>dev|alpha|beta|preview|pre|rc|snapshot|nightly|canary|next|a|b|c|m)[-._]?(?P<number>\d{0,8}))?"
    r"(?P<post>[-._]?(?:post|final|release|lts)[-._]?\d{0,4})?",
    re.IGNORECASE,
)
_STAGES = {"dev": 0, "nightly": 0, "snapshot": 0, "canary": 0, "next": 0, "a": 1, "alpha": 1, "m": 1, "b": 2, "beta": 2}
_CANDIDATE = 3  # pre, preview, c, rc
_RELEASED = 9
STABLE, LATEST = "stable", "latest"
# Common names of versions without a number; True if such a version is a release.
WORDS = {
    STABLE: True, LATEST: True, "current": True, "release": True, "lts": True, "dev": False, "devel": False,
    "develop": False, "development": False, "next": False, "main": False, "master": False, "trunk": False,
    "head": False, "nightly": False, "edge": False, "canary": False, "unstable": False, "snapshot": False,
    "preview": False, "beta": False, "alpha": False, "staging": False, "testing": False, "rolling": False,
}  # fmt: skip
Folders = Mapping[str, tuple[VersionFamily, SiteVersion]]
_FACET = "@version"
UNVERSIONED = f"{_FACET}="

FILE = "versions.json"
MAX_BYTES = 1_000_000
_MAX_VERSIONS = 1_000
_MAX_ALIASES = 20


class VersionKey(NamedTuple):
    """Sort key of a version; newer versions are greater."""

    is_numbered: bool
    numbers: tuple[int, ...]
    stage: int
    stage_number: int


def looks_like_version(segment: str) -> bool:
    """Return True if a segment of a URL could be the name of a version."""
    if segment.lower() in WORDS:
        return True
    match = _match(segment)
    if match is None:
        return False
    is_plain = "." not in match["numbers"] and not (match["start"] or match["x"])
    return not is_plain or int(match["numbers"]) <= _MAX_PLAIN


def is_release(name: str) -> bool:
    """Return True unless a version is a preview or a moving branch: `2.0-rc.1`, `dev`, `next`, `main`."""
    match = _match(name)
    return match["stage"] is None if match else WORDS.get(name.lower(), True)


def order_of(name: str) -> VersionKey:
    """The sort key of a version by the rules of semantic versioning; names without a number sort first."""
    match = _match(name)
    if match is None:
        return VersionKey(False, (), _RELEASED if is_release(name) else 0, 0)
    numbers = tuple(map(int, match["numbers"].split(".")))
    numbers = (*numbers, _LAST) if match["x"] else numbers
    while numbers and numbers[-1] == 0:  # 1.0 is 1.0.0
        numbers = numbers[:-1]
    stage = (match["stage"] or "").lower()
    rank = _STAGES.get(stage, _CANDIDATE) if stage else _RELEASED + bool(match["post"])
    return VersionKey(True, numbers, rank, int(match["number"] or 0))


def matches(name: str, globs: Sequence[str]) -> bool:
    """Return True if a glob matches the name of a version."""
    return any(fnmatchcase(name, glob) for glob in globs)


def bare(name: str) -> str:
    """The name without `v` or `version-` before its number."""
    match = _match(name)
    return name[len(match["start"] or "") :] if match else name


def _match(name: str) -> re.Match[str] | None:
    return _NUMBERED.fullmatch(name) if len(name) <= MAX_NAME_CHARS else None


@dataclass(frozen=True, slots=True)
class VersionedPath:
    """A path in a version: the version's folder, and the path below it."""

    family: VersionFamily
    version: SiteVersion
    folder: str
    rest: str  # "" = the folder itself

    @property
    def is_at_the_root(self) -> bool:
        """Return True if the version has no separate folder: its pages are above those of the other versions."""
        return self.folder == self.family.parent


def version_folders(families: Iterable[VersionFamily]) -> Folders:
    """Map folders to versions; an alias may have its own folder."""
    return {
        folder: (family, version)
        for family in families
        for version in family.versions
        for folder in (version.folder, *filter(None, version.aliases.values()))
    }


def versioned_path(path: str, folders: Folders) -> VersionedPath | None:
    """Split a path at the innermost version folder that contains it; None if there is none."""
    end = len(path)
    while True:
        folder = path[: max(end, 0)]
        if pair := folders.get(folder):
            rest = path[len(folder) :]
            return VersionedPath(*pair, folder, "" if rest == "/" else rest)
        if end <= 0:
            return None
        end = path.rfind("/", 0, end)


def version_label(parent: str, name: str) -> str:
    """The label of the pages of one version.

    Args:
        parent: URL path above the version's folder.
    """
    return f"{UNVERSIONED}{parent}/{name}"


def version_names(labels: Iterable[str]) -> tuple[str, ...]:
    """The versions in the labels of a page, in their order."""
    return tuple(label.rpartition("/")[2] for label in labels if label.startswith(UNVERSIONED) and label != UNVERSIONED)


def default_labels(families: Iterable[VersionFamily]) -> tuple[str, ...]:
    """The labels of pages that are searched by default: a page needs one of them; () = all pages are searched."""
    labels = [version_label(family.parent, family.default) if family.default else "" for family in families]
    return (*labels, UNVERSIONED) if labels and all(labels) else ()


@dataclass(frozen=True, slots=True)
class ListedVersion:
    """One entry of `versions.json`."""

    name: str  # also the name of its folder
    title: str = ""
    aliases: tuple[str, ...] = ()
    is_preferred: bool = False


def read_listed(text: str) -> tuple[ListedVersion, ...]:
    """Read the versions of a file, in its order; empty if it is not such a file.

    mike writes `{"version", "title", "aliases"}`, Docusaurus plain names, and pydata-sphinx-theme
    `{"name", "version", "url", "preferred"}`.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return ()
    entries = data[:_MAX_VERSIONS] if isinstance(data, list) else []
    versions = (_parse_entry(entry) for entry in entries)
    return tuple({version.name: version for version in versions if version}.values())


def _parse_entry(entry: object) -> ListedVersion | None:
    if isinstance(entry, str):
        entry = {"version": entry}
    if not isinstance(entry, dict):
        return None
    name = _folder_of(entry.get("url")) or entry.get("version")
    if not isinstance(name, str) or not _is_name(name):
        return None
    title = entry.get("title") or entry.get("name") or ""
    aliases = entry.get("aliases")
    return ListedVersion(
        name,
        " ".join(title.split())[:MAX_NAME_CHARS] if isinstance(title, str) and title != name else "",
        tuple(alias for alias in aliases[:_MAX_ALIASES] if _is_name(alias)) if isinstance(aliases, list) else (),
        entry.get("preferred") is True,
    )


def _folder_of(url: object) -> str:
    """The last folder of a version's URL, in lists of Sphinx themes."""
    try:
        path = urlsplit(url).path if isinstance(url, str) else ""
    except ValueError:
        return ""
    return path.removesuffix("index.html").rstrip("/").rpartition("/")[2]


def _is_name(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= MAX_NAME_CHARS and value not in (".", "..") and "/" not in value
