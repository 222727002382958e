"""Versions of the documentation in a build folder, only from its file names."""

from collections.abc import Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path

from searchsocket.errors import SourceUnavailable
from searchsocket.sources.base import Source
from searchsocket.sources.static_output import StaticOutputSource
from searchsocket.types import VersionFamily
from searchsocket.web.versions.families import VersionPage, VersionRules, find_families
from searchsocket.web.versions.listed import FILE, MAX_BYTES, read_listed

_MAX_PAGES = 50_000
_DOCUSAURUS = "/docs"  # its usual folder of documentation


def listed_texts(source: Source) -> Mapping[str, str]:
    """The contents of the site's `versions.json`, by the URL path of its folder; "" = the root."""
    with suppress(SourceUnavailable):
        if isinstance(source, StaticOutputSource):
            return {"": source.side_file(FILE, MAX_BYTES).decode("utf-8", "replace")}
    return {}


def versions_of_build(folder: Path, project_list: str = "") -> tuple[VersionFamily, ...]:
    """The versions in a build folder. A run also uses titles, metas, canonical links and settings.

    Args:
        project_list: The `versions.json` of a Docusaurus project, which its build does not contain.
    """
    source = StaticOutputSource(folder)
    try:
        pages = [VersionPage(page.url) for page in islice(source.pages(), _MAX_PAGES)]
    except SourceUnavailable:
        return ()
    texts = {_DOCUSAURUS: project_list, **listed_texts(source)}
    listed = {parent: read_listed(text) for parent, text in texts.items()}
    return find_families(pages, listed, VersionRules())
