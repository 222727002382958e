"""Find the folders of a site that contain the same pages in different versions, and the default version.

Every page of a site is assigned to its version, and equal pages in several versions are found.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from searchsocket.types import SiteVersion, VersionFamily
from searchsocket.web.versions.names import (
    LATEST,
    STABLE,
    UNVERSIONED,
    ListedVersion,
    VersionedPath,
    bare,
    is_release,
    looks_like_version,
    matches,
    order_of,
    version_folders,
    version_label,
    versioned_path,
)

DETECTION_VERSION = "2"  # raise it with every change of the result, so that indexed sites are checked again
_SHARED = 0.5  # share of the smaller folder's pages that must also exist in the other version
_MIN_SHARED = 2
_NEIGHBOURS = 3  # versions on either side that a version is compared with
_MOST_CANONICALS = 0.5  # share of a version's pages whose canonical URL is in another version
_ROUNDS = 4
_CURRENT, _NEXT = "current", "next"  # Docusaurus calls the unreleased version `current` and its folder `next`
VERSION = "{version}"
EXCLUDED = "-"  # value of `copy_of` for a page whose version is not indexed
UNMARKED = "~"  # likewise for a page without the mark that other pages have


class VersionPage(NamedTuple):
    """Facts about one page that detection uses."""

    url: str
    title: str = ""
    stated: str = ""  # version from its metas
    canonical: str = ""  # path of its canonical URL
    text: str = ""  # hash of its text; equal hashes mean equal texts


@dataclass(frozen=True, slots=True)
class VersionRules:
    """Settings for the detection of versions."""

    detect: bool = True
    pattern: str = ""  # e.g. `/docs/{version}`; "" = detected
    default: str = ""  # name or alias of a version, or `all`
    exclude: tuple[str, ...] = ()  # globs over names


@dataclass(slots=True)
class _Folder:
    """A candidate folder: its pages by their path below it."""

    pages: dict[str, VersionPage] = field(default_factory=dict)
    stated: Counter[str] = field(default_factory=Counter)  # versions that its pages state

    def shared(self, other: "_Folder") -> int:
        """The number of pages with the same path and title in both; the start page alone is not enough."""
        few, many = sorted((self.pages, other.pages), key=len)
        same = [path for path, page in few.items() if path in many and _agree(page.title, many[path].title)]
        return len(same) if any(same) else 0

    def is_like(self, other: "_Folder") -> bool:
        """Return True if both share a large part of their pages."""
        shared = self.shared(other)
        return shared >= _MIN_SHARED and shared >= _SHARED * min(len(self.pages), len(other.pages))


def _agree(title: str, other: str) -> bool:
    return title == other or not title or not other


Candidates = dict[str, dict[str, _Folder]]  # parent -> name of a folder -> folder


def find_families(
    pages: Sequence[VersionPage], listed: Mapping[str, Sequence[ListedVersion]], rules: VersionRules
) -> tuple[VersionFamily, ...]:
    """The version folders of a site, by their parents; empty if the site has no versions.

    Args:
        listed: The entries of each `versions.json`, by the URL path of its folder; "" = the root.
    """
    canonicals = canonical_urls(pages)
    pages = [page._replace(canonical=canonicals.get(page.url, "")) for page in pages]
    families: list[VersionFamily] = []
    rejected: set[str] = set()
    for _ in range(_ROUNDS):  # a folder that is not a version may contain versions
        families = []
        before = len(rejected)
        for parent, folders in sorted(_candidates(pages, listed, rules, rejected).items()):
            family = _family(parent, folders, pages, listed.get(parent, ()), rules)
            if family is None:
                rejected.add(parent)
            else:
                families.append(family)
        if len(rejected) == before:
            break
    return tuple(families)


def _candidates(
    pages: Sequence[VersionPage],
    listed: Mapping[str, Sequence[ListedVersion]],
    rules: VersionRules,
    rejected: set[str],
) -> Candidates:
    names = {
        parent: {name for entry in entries for name in (entry.name, *entry.aliases)}
        for parent, entries in listed.items()
    }
    pattern = _compile(rules.pattern)
    candidates: Candidates = {}
    if not (rules.detect or pattern):
        return candidates
    for page in pages:
        for parent, name, path in _splits(page, names, pattern):
            if parent not in rejected:
                folder = candidates.setdefault(parent, {}).setdefault(name, _Folder())
                folder.pages[path] = page
                folder.stated[page.stated] += 1
                break
    return candidates


def _splits(
    page: VersionPage, names: Mapping[str, set[str]], pattern: re.Pattern[str] | None
) -> Iterator[tuple[str, str, str]]:
    """Yield the possible splits of a URL into (parent, version name, path below it), outermost first."""
    if pattern:
        if match := pattern.match(page.url):
            yield match[1], match[2], match[3]
        return
    start = 0
    while start < len(page.url):
        end = page.url.find("/", start + 1)
        end = len(page.url) if end < 0 else end
        parent, name = page.url[:start], page.url[start + 1 : end]
        is_stated = page.stated and (name == page.stated or bare(name) == bare(page.stated))
        if is_stated or name in names.get(parent, ()) or looks_like_version(name):
            yield parent, name, page.url[end:]
        start = end


def _compile(pattern: str) -> re.Pattern[str] | None:
    """Compile a pattern such as `/*/docs/{version}` to a regular expression that never backtracks; `*` is a segment."""
    if not pattern:
        return None
    above, _, below = pattern.rstrip("/*").partition(VERSION)
    parts = ["[^/]+" if part == "*" else re.escape(part) for part in above.strip("/").split("/") if part]
    parent = "".join(f"/{part}" for part in parts)
    return re.compile(f"({parent})/([^/]+)((?:/.*)?)$" if not below.strip("/") else "(?!)")


def _family(
    parent: str,
    folders: dict[str, _Folder],
    pages: Sequence[VersionPage],
    listed: Sequence[ListedVersion],
    rules: VersionRules,
) -> VersionFamily | None:
    """Find the versions below one parent; None if there are fewer than two."""
    names = {name for entry in listed for name in (entry.name, *entry.aliases)}
    root = _root(parent, folders, pages)
    accepted = {
        name
        for name, folder in folders.items()
        if name in names
        or _is_stated(name, folder)
        or _is_like_another(name, folders)
        or (rules.pattern and any(folder.pages) and looks_like_version(name))
    }
    accepted |= {name for name in folders if root.pages and looks_like_version(name) and folders[name].is_like(root)}
    chosen = {name: folders[name] for name in accepted}
    has_root = any(_is_root(root, folder) for folder in chosen.values())
    if len(chosen) + has_root < 2:
        return None
    versions = _merge(parent, chosen, listed)
    if has_root:
        versions = [*versions, SiteVersion(_root_name(root, versions, listed), parent)]
    ordered = _order(versions, listed, parent)
    return VersionFamily(parent, ordered, _default(ordered, chosen, listed, parent, rules))


def _is_stated(name: str, folder: _Folder) -> bool:
    """Return True if the pages of a folder state its own name as their version."""
    stated, count = folder.stated.most_common(1)[0]
    return bool(stated) and count * 2 > len(folder.pages) and _names_folder(stated, name)


def _names_folder(stated: str, folder: str) -> bool:
    return bare(stated) == bare(folder) or (stated, folder) == (_CURRENT, _NEXT)


def _is_like_another(name: str, folders: Mapping[str, _Folder]) -> bool:
    names = sorted(folders, key=lambda folder: (order_of(folder), folder))
    at = names.index(name)
    near = [*names[max(0, at - _NEIGHBOURS) : at], *names[at + 1 : at + 1 + _NEIGHBOURS]]
    newest = names[-_NEIGHBOURS:]
    return any(folders[name].is_like(folders[other]) for other in {*near, *newest} - {name})


def _root(parent: str, folders: Mapping[str, _Folder], pages: Iterable[VersionPage]) -> _Folder:
    """The pages below the parent outside all version folders."""
    root = _Folder()
    inside = f"{parent}/"
    for page in pages:
        if page.url == parent or page.url.startswith(inside):
            path = page.url[len(parent) :]
            if path[1:].partition("/")[0] not in folders:
                root.pages["" if path == "/" else path] = page
                root.stated[page.stated] += 1
    return root


def _is_root(root: _Folder, folder: _Folder) -> bool:
    """Return True if most pages of a version also exist above it, so that the parent's own pages are a version too."""
    shared = root.shared(folder)
    return shared >= _MIN_SHARED and shared >= _SHARED * len(folder.pages)


def _root_name(root: _Folder, versions: Sequence[SiteVersion], listed: Sequence[ListedVersion]) -> str:
    used_names = {name for version in versions for name in (version.name, *version.aliases)}
    stated = [name for name, _ in root.stated.most_common() if name]
    unbuilt = [entry.name for entry in listed]
    return next((name for name in (*stated, *unbuilt, LATEST, _CURRENT) if name not in used_names), "root")


def _merge(parent: str, folders: Mapping[str, _Folder], listed: Sequence[ListedVersion]) -> list[SiteVersion]:
    """Make versions of the folders; a folder that only repeats another one becomes its alias."""
    by_alias = {alias: entry.name for entry in listed for alias in entry.aliases if entry.name in folders}
    aliases: dict[str, dict[str, str]] = {}
    for alias, name in by_alias.items():
        aliases.setdefault(name, {})[alias] = f"{parent}/{alias}" if alias in folders else ""
    numbered = [name for name in folders if order_of(name).is_numbered and name not in by_alias]
    for alias in (STABLE, LATEST, _CURRENT):
        if alias in folders and alias not in by_alias:
            same = [name for name in numbered if _repeats(folders[alias], folders[name])]
            if same:
                name = max(same, key=order_of)
                by_alias[alias] = name
                aliases.setdefault(name, {})[alias] = f"{parent}/{alias}"
    titles = {entry.name: entry.title for entry in listed}
    merged = []
    for name in sorted(folders.keys() - by_alias.keys()):
        folder, own = f"{parent}/{name}", aliases.get(name, {})
        if canonical := next((path for path in own.values() if path and _is_canonical(path, folders[name])), ""):
            own, folder = {**own, name: folder}, canonical
        merged.append(SiteVersion(name, folder, titles.get(name, ""), dict(sorted(own.items()))))
    return merged


def _is_canonical(alias_folder: str, folder: _Folder) -> bool:
    """Return True if most pages of a version have their canonical URL in an alias's folder."""
    same = sum(1 for path, page in folder.pages.items() if page.canonical == f"{alias_folder}{path}")
    return same > _MOST_CANONICALS * len(folder.pages)


def _repeats(alias: _Folder, folder: _Folder) -> bool:
    """Return True if a folder contains the same pages as another one, with the same texts."""
    if alias.pages.keys() != folder.pages.keys():
        return False
    return all(page.text and alias.pages[path].text == page.text for path, page in folder.pages.items())


def _order(versions: Sequence[SiteVersion], listed: Sequence[ListedVersion], parent: str) -> tuple[SiteVersion, ...]:
    """Newest first: the parent's own pages, moving names, then numbers; unnumbered names in the site's order."""
    places = {entry.name: -at for at, entry in enumerate(listed)}

    def key(version: SiteVersion) -> tuple[object, ...]:
        order = order_of(version.name)
        is_moving = not order.is_numbered and version.name.lower() in (*_MOVING,)
        return (version.folder == parent, is_moving, order, places.get(version.name, -len(places)))

    return tuple(sorted(sorted(versions, key=lambda version: version.name, reverse=True), key=key, reverse=True))


_MOVING = (STABLE, LATEST, _CURRENT, _NEXT, "dev", "main", "master")


def _default(
    versions: Sequence[SiteVersion],
    folders: Mapping[str, _Folder],
    listed: Sequence[ListedVersion],
    parent: str,
    rules: VersionRules,
) -> str:
    """The version to search by default.

    In order: the configured one; preferred ones in the site's list; `stable` or `latest`; the canonical version; the
    parent's own pages; the newest release.
    """
    by_name = {name: version.name for version in versions for name in (version.name, *version.aliases)}
    if rules.default in by_name:
        return by_name[rules.default]
    offered = [version.name for version in versions if not matches(version.name, rules.exclude)]
    released = [name for name in offered if is_release(name)] or offered or [versions[0].name]
    root = next((version.name for version in versions if version.folder == parent), "")
    numbered = [name for name in released if order_of(name).is_numbered]
    # On Read the Docs `latest` is the development branch, and `stable` the newest release.
    moving = [by_name[name] for name in (STABLE, LATEST) if name in by_name]
    preferred = [entry.name for entry in listed if entry.is_preferred]
    candidates = [*preferred, *moving[:1], _by_canonicals(versions, folders), root]
    return next((name for name in candidates if name in released), (numbered or released)[0])


def canonical_urls(pages: Sequence[VersionPage]) -> dict[str, str]:
    """The canonical URL of each page, without the base path of the published site.

    A build served below `/project/` has no base path in its folder; most pages of a site are their own canonical.
    """
    bases = Counter(
        page.canonical[: -len(page.url)] if page.url != "/" else page.canonical.rstrip("/")
        for page in pages
        if page.canonical and (page.url == "/" or page.canonical.endswith(page.url))
    )
    base = bases.most_common(1)[0][0] if bases else ""
    with_canonical = ((page.url, page.canonical) for page in pages if page.canonical)
    return {url: (path[len(base) :] or "/") if base and path.startswith(base) else path for url, path in with_canonical}


def _by_canonicals(versions: Sequence[SiteVersion], folders: Mapping[str, _Folder]) -> str:
    """The version that contains the canonical URLs of most pages of the other versions; "" if there is none."""
    folder_of = {version.folder: version.name for version in versions}
    folder_of |= {folder: version.name for version in versions for folder in version.aliases.values() if folder}
    votes: Counter[str] = Counter()
    for version in versions:
        pages = folders[version.name].pages.values() if version.name in folders else ()
        counts: Counter[str] = Counter(_version_of(page.canonical, folder_of) for page in pages)
        if counts and (first := counts.most_common(1)[0])[1] > _MOST_CANONICALS * len(pages):
            votes[first[0]] += first[0] != version.name
    votes.pop("", None)
    return max(votes, key=lambda name: (votes[name], name), default="")


def _version_of(url: str, folder_of: Mapping[str, str]) -> str:
    end = len(url)
    while end > 0:
        if name := folder_of.get(url[:end]):
            return name
        end = url.rfind("/", 0, end)
    return folder_of.get("", "") if url else ""


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
