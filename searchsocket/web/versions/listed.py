"""Read `versions.json`, the list of versions that mike, Docusaurus and Sphinx themes write."""

import json
from dataclasses import dataclass
from urllib.parse import urlsplit

from searchsocket.web.versions.names import MAX_NAME_CHARS

FILE = "versions.json"
MAX_BYTES = 1_000_000
_MAX_VERSIONS = 1_000
_MAX_ALIASES = 20


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
