"""Versions in a query: which ones it searches, and the address of a shared page in the version that was searched."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from searchsocket.errors import InvalidRequest, UnknownVersion
from searchsocket.search.wire import Wire
from searchsocket.types import PageFacts, SiteVersion, VersionFamily
from searchsocket.web.versions.labels import UNVERSIONED, version_label, version_names
from searchsocket.web.versions.names import bare
from searchsocket.web.versions.paths import VersionedPath, version_folders, versioned_path

if TYPE_CHECKING:
    from searchsocket.search.query import SearchQuery
    from searchsocket.stores.base import ReadableRecord

ALL = "all"
MAX_VERSIONS = 50  # of one query
MAX_CHARS = 2_000  # of one: it may be the path of a page


@dataclass(frozen=True, slots=True)
class AvailableVersion(Wire):
    """A version of the site."""

    name: str
    title: str
    aliases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AnswerVersions(Wire):
    """Versions that were searched, and those that can be."""

    searched: Annotated[tuple[str, ...], Field(description="Versions that were searched; empty: all.")]
    default: Annotated[tuple[str, ...], Field(description="Versions that are searched by default; empty: all.")]
    available: Annotated[tuple[AvailableVersion, ...], Field(description="All versions, newest first.")]


@dataclass(frozen=True, slots=True)
class VersionScope:
    """The versions that a query searches, resolved against those of a generation."""

    labels: tuple[str, ...] = ()  # a record must have one of them; () = all versions
    directories: tuple[str, ...] = ()  # instead of the path prefix: the same directory in every version
    folders: Mapping[str, str] = field(default_factory=dict)  # label of a searched version -> folder of its links
    families: tuple[VersionFamily, ...] = ()


NO_VERSIONS = VersionScope()


def checked_versions(versions: Sequence[str]) -> tuple[str, ...]:
    """The requested versions, each once.

    Raises:
        InvalidRequest: There are too many, or one is too long.
    """
    distinct = tuple(dict.fromkeys(version.strip() for version in versions if version.strip()))
    if len(distinct) > MAX_VERSIONS:
        raise InvalidRequest(f"{len(distinct)} versions; the limit is {MAX_VERSIONS}")
    if any(len(version) > MAX_CHARS for version in distinct):
        raise InvalidRequest(f"a version or the path of a page has at most {MAX_CHARS:,} characters")
    return distinct


def in_versions(query: "SearchQuery", families: tuple[VersionFamily, ...]) -> "SearchQuery":
    """The query with its versions resolved: those that it names, else the default ones; pages without a version too.

    Raises:
        UnknownVersion: The site has no version of a name.
    """
    names = [name for name in query.version if not name.startswith("/")]
    is_version = (name == ALL or any(_find(name, family) for family in families) for name in names)
    unknown = next((name for name, has_family in zip(names, is_version, strict=True) if not has_family), None)
    if unknown is not None:
        raise UnknownVersion(unknown, _all_names(families))
    if not families:
        return query
    path = _locate(query.path_prefix, families) if query.path_prefix else None
    if path and not query.version and not path.is_at_the_root:  # the directory itself names a version
        label = version_label(path.family.parent, path.version.name)
        scope = VersionScope((label,), folders={label: path.folder}, families=families)
    else:
        scope = _scope(query.version, families)
    directories = _directories(path) if path and (path.rest or not path.is_at_the_root) else ()
    return replace(query, within=replace(scope, directories=directories))


def scope_of(url: str, families: tuple[VersionFamily, ...]) -> VersionScope:
    """The versions that belong with a page: its own, and the default of what it is no version of."""
    return _scope([url], families) if families else NO_VERSIONS


def _scope(requested: Sequence[str], families: tuple[VersionFamily, ...]) -> VersionScope:
    folders: dict[str, str] = {}
    labels: list[str] = []
    is_all = ALL in requested
    for family in families:
        chosen = dict(_chosen(requested, family))
        if not chosen and family.default:
            chosen = {name: version.folder for version in family.versions if (name := version.name) == family.default}
        is_all = is_all or not chosen
        folders |= {version_label(family.parent, name): folder for name, folder in chosen.items()}
        labels += [version_label(family.parent, name) for name in chosen]
    if is_all:
        return VersionScope(families=families)
    return VersionScope((*labels, UNVERSIONED), folders=folders, families=families)


def _chosen(requested: Sequence[str], family: VersionFamily) -> Iterator[tuple[str, str]]:
    """The requested versions of a family, each with the folder that its links open in."""
    for name in requested:
        if name.startswith("/"):
            path = _locate(name, [family])
            if path and path.folder != family.parent:
                yield path.version.name, path.folder
        elif version := _find(name, family):
            yield version.name, version.aliases.get(name) or version.folder


def _find(name: str, family: VersionFamily) -> SiteVersion | None:
    """The version of a name or alias; `v1.2` is `1.2`."""
    exact = (one for one in family.versions if name in (one.name, one.title, *one.aliases))
    loose = (one for one in family.versions if bare(name) == bare(one.name))
    return next(exact, None) or next(loose, None)


def _locate(path: str, families: Iterable[VersionFamily]) -> VersionedPath | None:
    """A path in its version."""
    families, path = tuple(families), path.rstrip("/")
    place = versioned_path(path, version_folders(families))
    # An alias without pages of its own may still be how people call it.
    return place if place and not place.is_at_the_root else _in_alias(path, families) or place


def _in_alias(path: str, families: Iterable[VersionFamily]) -> VersionedPath | None:
    for family in families:
        if path.startswith(f"{family.parent}/"):
            first, _, rest = path[len(family.parent) + 1 :].partition("/")
            for version in family.versions:
                if version.aliases.get(first) == "":
                    return VersionedPath(family, version, version.folder, f"/{rest}" if rest else "")
    return None


def _directories(path: VersionedPath) -> tuple[str, ...]:
    """The same directory in every version, since a shared page is stored in one of them."""
    folders = (folder for one in path.family.versions for folder in (one.folder, *filter(None, one.aliases.values())))
    return tuple(f"{folder}{path.rest}" for folder in dict.fromkeys(folders) if folder or path.rest)


def _all_names(families: Iterable[VersionFamily]) -> list[str]:
    return list(dict.fromkeys(name for each in families for one in each.versions for name in (one.name, *one.aliases)))


def answer_versions(scope: VersionScope) -> AnswerVersions | None:
    """The part of an answer about versions; None if the site has none."""
    if not scope.families:
        return None
    searched = dict.fromkeys(version_names(scope.labels))
    versions = {one.name: one for family in scope.families for one in family.versions}
    return AnswerVersions(
        tuple(searched),
        tuple(dict.fromkeys(family.default for family in scope.families if family.default)),
        tuple(
            AvailableVersion(
                one.name, one.title or one.name, tuple(alias for alias in one.aliases if alias != one.name)
            )
            for one in versions.values()
        ),
    )


def page_versions(page: PageFacts, scope: VersionScope) -> tuple[str, ...]:
    """The versions in which a page says the same: the searched one first, else the newest first."""
    if not scope.families:
        return ()
    return version_names(sorted(page.facets, key=lambda label: label not in scope.folders))


def located(record: "ReadableRecord", scope: VersionScope) -> "ReadableRecord":
    """The record with the URL and address of its page in the version that was searched."""
    page = page_in(record.record.page, scope)
    return record if page is record.record.page else record._replace(record=replace(record.record, page=page))


def page_in(page: PageFacts, scope: VersionScope) -> PageFacts:
    """The page at its URL and address in the version that was searched."""
    labels = [label for label in page.facets if label in scope.folders]
    if not labels:
        return page
    folder, path = scope.folders[labels[0]], _locate(page.url, scope.families)
    if path is None or path.folder == folder:
        return page
    address = page.address and folder + page.address[len(path.folder) :]
    return replace(page, url=f"{folder}{path.rest}" or "/", address=address)


def stored_at(url: str, families: Iterable[VersionFamily]) -> Iterator[tuple[str, str]]:
    """URLs at which the page may be stored that is shown at `url`, each with the label that it must then have."""
    if path := _locate(url, families):
        label = version_label(path.family.parent, path.version.name)
        yield from ((directory, label) for directory in _directories(path) if directory != url)
