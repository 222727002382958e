"""The versions of a site, as rows for people and for JSON."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from searchsocket.system.json_text import JsonObject
from searchsocket.text.amounts import count

if TYPE_CHECKING:  # a run without changes loads no numpy
    from searchsocket.types import VersionFamily

VERSIONS = "Versions"  # title of the table


def version_rows(families: "Sequence[VersionFamily]") -> list[dict[str, object]]:
    """The versions of a site, newest first, for people and for JSON."""
    return [
        {
            "name": version.name,
            "title": version.title or version.name,
            "folder": version.folder or "/",
            "aliases": [alias for alias in version.aliases if alias != version.name],
            "default": version.name == family.default,
        }
        for family in families
        for version in family.versions
    ]


def version_words(rows: Sequence[JsonObject]) -> str:
    """Describe the number of versions and the defaults; "" without versions."""
    names = dict.fromkeys(row["name"] for row in rows)
    if not names:
        return ""
    defaults = dict.fromkeys(row["name"] for row in rows if row["default"])
    return f"{count(len(names), 'version')}; searched by default: {', '.join(defaults) or 'all'}"
