"""Assign every page of a site to its version, and find equal pages in several versions."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from searchsocket.types import VersionFamily
from searchsocket.web.versions.families import VersionPage, canonical_urls
from searchsocket.web.versions.labels import UNVERSIONED, version_label
from searchsocket.web.versions.names import VersionedPath, matches, version_folders, versioned_path

EXCLUDED = "-"  # value of `copy_of` for a page whose version is not indexed
UNMARKED = "~"  # likewise for a page without the mark that other pages have


class Placement(NamedTuple):
    """Decision about one page."""

    labels: tuple[str, ...]  # see `version_label`
    copy_of: str = ""  # URL of the page that is indexed instead, `EXCLUDED` or `UNMARKED`


class AddressedPage(NamedTuple):
    """A page with the path that opens it."""

    page: VersionPage
    address: str


def place(
    pages: Sequence[AddressedPage], families: Sequence[VersionFamily], exclude: Sequence[str] = ()
) -> dict[str, Placement]:
    """Decide about every page of the site, by URL.

    Pages with the same path and text in several versions become one page: that of the searched version if it has the
    page, else of the newest. A page whose text equals that of its canonical page becomes a copy of it.
    """
    folders = version_folders(families)
    paths = {entry.page.url: versioned_path(entry.page.url, folders) for entry in pages}
    _leave_unshared_at_the_root(paths)
    copies = {entry.page.url: EXCLUDED for entry in pages if _is_excluded(paths[entry.page.url], exclude)}
    originals = [entry for entry in pages if entry.page.url not in copies]
    labels: dict[str, tuple[str, ...]] = {}
    for group in _groups(originals, paths):
        first = min(group, key=lambda url: _rank(paths[url], url))
        names = dict.fromkeys(
            label
            for url in sorted(group, key=lambda url: _rank(paths[url], url))
            for label in _labels(paths[url], bool(families))
        )
        labels[first] = tuple(names)
        copies |= {url: first for url in group if url != first}
    _follow_canonicals(originals, paths, copies)
    return {
        entry.page.url: Placement(labels.get(entry.page.url, ()), copies.get(entry.page.url, "")) for entry in pages
    }


def _leave_unshared_at_the_root(paths: dict[str, VersionedPath | None]) -> None:
    """Remove pages from a version whose folder also contains other pages, such as a blog next to the documentation.

    A page stays if another version has the same page or section.
    """
    sections: dict[str, set[str]] = {}
    for path in paths.values():
        if path and not path.is_at_the_root:
            first = path.rest[1:].partition("/")
            sections.setdefault(path.family.parent, set()).update({path.rest, first[0] if first[1] else path.rest})
    for url, path in paths.items():
        if path and path.is_at_the_root:
            names, first = sections.get(path.folder, set()), path.rest[1:].partition("/")
            if path.rest not in names and not (first[1] and first[0] in names):
                paths[url] = None


def _is_excluded(path: VersionedPath | None, exclude: Sequence[str]) -> bool:
    return path is not None and matches(path.version.name, exclude)


def _groups(pages: Iterable[AddressedPage], paths: Mapping[str, VersionedPath | None]) -> Iterable[list[str]]:
    """Group the URLs of equal pages at the same place in several versions; a single page is a group of one."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for page, address in pages:
        path = paths[page.url]
        opening_path = address or page.url
        if path is None or not page.text or not opening_path.startswith(path.folder):
            groups[page.url,] = [page.url]
        else:
            key = (path.family.parent, path.rest, opening_path[len(path.folder) :].rstrip("/"), page.text)
            groups.setdefault(key, []).append(page.url)
    return groups.values()


def _rank(path: VersionedPath | None, url: str) -> tuple[int, int, int, str]:
    """Order in a group: the searched version, then newer versions, then the version's own folder, then the URL."""
    if path is None:
        return 0, 0, 0, url
    is_other = path.version.name != path.family.default
    return is_other, path.family.versions.index(path.version), path.folder != path.version.folder, url


def _labels(path: VersionedPath | None, has_versions: bool) -> tuple[str, ...]:
    if path is None:
        return (UNVERSIONED,) if has_versions else ()
    return (version_label(path.family.parent, path.version.name),)


def _follow_canonicals(
    pages: Sequence[AddressedPage],
    paths: Mapping[str, VersionedPath | None],
    copies: dict[str, str],
) -> None:
    """Make a page a copy of its canonical page if that has the same text, and both are in one version or in none."""
    by_url = {entry.page.url: entry.page for entry in pages}
    canonicals = canonical_urls([page for page, _ in pages])
    for page, _ in pages:
        target = by_url.get(canonicals.get(page.url, ""))
        if target is None or target.url == page.url or page.url in copies or not page.text:
            continue
        path, other = paths[page.url], paths[target.url]
        is_one_version = (path and (path.family.parent, path.version)) == (
            other and (other.family.parent, other.version)
        )
        first = copies.get(target.url, target.url)
        if is_one_version and page.text == target.text and first != page.url and page.url not in copies.values():
            copies[page.url] = first
