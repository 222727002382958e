"""Place every page of a site in its version, and find the pages that say the same in several versions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from searchsocket.types import SiteVersion, VersionFamily
from searchsocket.web.versions.families import VersionPage, canonical_urls
from searchsocket.web.versions.labels import UNVERSIONED, version_label
from searchsocket.web.versions.names import matches

EXCLUDED = "-"  # instead of the page that a copy is of: its version is not indexed


class Placed(NamedTuple):
    """Decision about one page."""

    labels: tuple[str, ...]  # see `version_label`
    copy_of: str = ""  # URL of the page that is indexed instead, or `EXCLUDED`


class AddressedPage(NamedTuple):
    """A page with the path that opens it."""

    page: VersionPage
    address: str


@dataclass(frozen=True, slots=True)
class _Seat:
    """Position of a page: a version, and the path below its folder."""

    family: VersionFamily
    version: SiteVersion
    folder: str
    rest: str


def place(
    pages: Sequence[AddressedPage], families: Sequence[VersionFamily], exclude: Sequence[str] = ()
) -> dict[str, Placed]:
    """The decision about every page of the site, by URL.

    Pages with the same path and text in several versions become one page, in the searched version if it has it, else in
    the newest. A page with the text of the page that it names as canonical becomes a copy of it.
    """
    folders = _by_folder(families)
    seats = {one.page.url: _seat(one.page.url, folders) for one in pages}
    _leave_unshared_at_the_root(seats)
    copies = {one.page.url: EXCLUDED for one in pages if _is_excluded(seats[one.page.url], exclude)}
    kept = [one for one in pages if one.page.url not in copies]
    labels: dict[str, tuple[str, ...]] = {}
    for group in _groups(kept, seats):
        first = min(group, key=lambda url: _rank(seats[url], url))
        names = dict.fromkeys(
            label
            for url in sorted(group, key=lambda url: _rank(seats[url], url))
            for label in _labels(seats[url], bool(families))
        )
        labels[first] = tuple(names)
        copies |= {url: first for url in group if url != first}
    _follow_canonicals(kept, seats, copies, labels)
    return {one.page.url: Placed(labels.get(one.page.url, ()), copies.get(one.page.url, "")) for one in pages}


def _by_folder(families: Iterable[VersionFamily]) -> dict[str, tuple[VersionFamily, SiteVersion]]:
    found = {}
    for family in families:
        for version in family.versions:
            for folder in (version.folder, *version.aliases.values()):
                if folder or version.folder == folder:
                    found[folder] = (family, version)
    return found


def _seat(url: str, folders: Mapping[str, tuple[VersionFamily, SiteVersion]]) -> _Seat | None:
    """The innermost version folder of a page."""
    end = len(url)
    while True:
        folder = "" if end <= 0 else url[:end]
        if pair := folders.get(folder):
            rest = url[len(folder) :]
            return _Seat(*pair, folder, "" if rest == "/" else rest)
        if end <= 0:
            return None
        end = url.rfind("/", 0, end)


def _leave_unshared_at_the_root(seats: dict[str, _Seat | None]) -> None:
    """Take pages out of a version whose folder is also that of other pages, such as a blog beside the documentation.

    A page stays if a version has the same page, or the same section.
    """
    sections: dict[str, set[str]] = {}
    for seat in seats.values():
        if seat and seat.folder != seat.family.parent:
            first = seat.rest[1:].partition("/")
            sections.setdefault(seat.family.parent, set()).update({seat.rest, first[0] if first[1] else seat.rest})
    for url, seat in seats.items():
        if seat and seat.folder == seat.family.parent:
            known, first = sections.get(seat.folder, set()), seat.rest[1:].partition("/")
            if seat.rest not in known and not (first[1] and first[0] in known):
                seats[url] = None


def _is_excluded(seat: _Seat | None, exclude: Sequence[str]) -> bool:
    return seat is not None and matches(seat.version.name, exclude)


def _groups(pages: Iterable[AddressedPage], seats: Mapping[str, _Seat | None]) -> Iterable[list[str]]:
    """URLs of pages that say the same at the same place of different versions; a page alone is a group of one."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for page, address in pages:
        seat = seats[page.url]
        opened = address or page.url
        if seat is None or not page.text or not opened.startswith(seat.folder):
            groups[page.url,] = [page.url]
        else:
            key = (seat.family.parent, seat.rest, opened[len(seat.folder) :].rstrip("/"), page.text)
            groups.setdefault(key, []).append(page.url)
    return groups.values()


def _rank(seat: _Seat | None, url: str) -> tuple[int, int, int, str]:
    """Order by which the page of a group is chosen: the searched version, then newer ones, its own folder, the URL."""
    if seat is None:
        return 0, 0, 0, url
    is_other = seat.version.name != seat.family.default
    return is_other, seat.family.versions.index(seat.version), seat.folder != seat.version.folder, url


def _labels(seat: _Seat | None, has_versions: bool) -> tuple[str, ...]:
    if seat is None:
        return (UNVERSIONED,) if has_versions else ()
    return (version_label(seat.family.parent, seat.version.name),)


def _follow_canonicals(
    pages: Sequence[AddressedPage],
    seats: Mapping[str, _Seat | None],
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
        seat, other = seats[page.url], seats[target.url]
        is_one_version = (seat and (seat.family.parent, seat.version)) == (
            other and (other.family.parent, other.version)
        )
        first = copies.get(target.url, target.url)
        if is_one_version and page.text == target.text and first != page.url and page.url not in copies.values():
            copies[page.url] = first
