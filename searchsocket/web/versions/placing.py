"""Place every page of a site in its version, and find the pages that say the same in several versions."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from searchsocket.types import VersionFamily
from searchsocket.web.versions.families import VersionPage, canonical_urls
from searchsocket.web.versions.labels import UNVERSIONED, version_label
from searchsocket.web.versions.names import matches
from searchsocket.web.versions.paths import VersionedPath, version_folders, versioned_path

EXCLUDED = "-"  # instead of the page that a copy is of: its version is not indexed


class Placed(NamedTuple):
    """Decision about one page."""

    labels: tuple[str, ...]  # see `version_label`
    copy_of: str = ""  # URL of the page that is indexed instead, or `EXCLUDED`


class AddressedPage(NamedTuple):
    """A page with the path that opens it."""

    page: VersionPage
    address: str


def place(
    pages: Sequence[AddressedPage], families: Sequence[VersionFamily], exclude: Sequence[str] = ()
) -> dict[str, Placed]:
    """The decision about every page of the site, by URL.

    Pages with the same path and text in several versions become one page, in the searched version if it has it, else in
    the newest. A page with the text of the page that it names as canonical becomes a copy of it.
    """
    folders = version_folders(families)
    paths = {one.page.url: versioned_path(one.page.url, folders) for one in pages}
    _leave_unshared_at_the_root(paths)
    copies = {one.page.url: EXCLUDED for one in pages if _is_excluded(paths[one.page.url], exclude)}
    originals = [one for one in pages if one.page.url not in copies]
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
    _follow_canonicals(originals, paths, copies, labels)
    return {one.page.url: Placed(labels.get(one.page.url, ()), copies.get(one.page.url, "")) for one in pages}


def _leave_unshared_at_the_root(paths: dict[str, VersionedPath | None]) -> None:
    """Take pages out of a version whose folder is also that of other pages, such as a blog beside the documentation.

    A page stays if a version has the same page, or the same section.
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
    """URLs of pages that say the same at the same place of different versions; a page alone is a group of one."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for page, address in pages:
        path = paths[page.url]
        opened = address or page.url
        if path is None or not page.text or not opened.startswith(path.folder):
            groups[page.url,] = [page.url]
        else:
            key = (path.family.parent, path.rest, opened[len(path.folder) :].rstrip("/"), page.text)
            groups.setdefault(key, []).append(page.url)
    return groups.values()


def _rank(path: VersionedPath | None, url: str) -> tuple[int, int, int, str]:
    """Order by which the page of a group is chosen: the searched version, then newer ones, its own folder, the URL."""
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
    labels: dict[str, tuple[str, ...]],
) -> None:
    """Make a page the copy of its canonical, if that exists and says the same, within one version or none."""
    by_url = {one.page.url: one.page for one in pages}
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
