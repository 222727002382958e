"""Resolve the versions that a query searches, and the address of a shared page in the searched version."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from searchsocket.errors import InvalidRequest, UnknownVersion
from searchsocket.search.wire import Wire
from searchsocket.types import PageFacts, SiteVersion, VersionFamily
from searchsocket.web.versions.names import (
    UNVERSIONED,
    VersionedPath,
    bare,
    version_folders,
    version_label,
    version_names,
    versioned_path,
)

if TYPE_CHECKING:
    from searchsocket.stores.base.index_reader import ReadableRecord

ALL = "all"
MAX_VERSIONS = 50  # per query
MAX_CHARS = 2_000  # per version, which may be the path of a page


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
    directories: tuple[str, ...] = ()  # replaces the path prefix by the same directory in every version
    folders: Mapping[str, str] = field(default_factory=dict)  # label of a searched version -> folder of its links
    families: tuple[VersionFamily, ...] = ()


NO_VERSIONS = VersionScope()


def checked_versions(versions: Sequence[str]) -> tuple[str, ...]:
    """Return the requested versions without repetition.

    Raises:
        InvalidRequest: There are too many, or one is too long.
    """
    distinct = tuple(dict.fromkeys(version.strip() for version in versions if version.strip()))
    if len(distinct) > MAX_VERSIONS:
        raise InvalidRequest(f"{len(distinct)} versions; the limit is {MAX_VERSIONS}")
    if any(len(version) > MAX_CHARS for version in distinct):
        raise InvalidRequest(f"a version or the path of a page has at most {MAX_CHARS:,} characters")
    return distinct


def searched_versions(version: Sequence[str], path_prefix: str, families: tuple[VersionFamily, ...]) -> VersionScope:
    """Return the versions to search: those that a query names, else the default ones; also pages without a version.

    Args:
        version, path_prefix: Of the query; a path prefix may name a version too.

    Raises:
        UnknownVersion: The site has no version with this name.
    """
    names = [name for name in version if not name.startswith("/")]
    is_version = (name == ALL or any(_find(name, family) for family in families) for name in names)
    unknown = next((name for name, has_family in zip(names, is_version, strict=True) if not has_family), None)
    if unknown is not None:
        raise UnknownVersion(unknown, _all_names(families))
    if not families:
        return NO_VERSIONS
    path = _locate(path_prefix, families) if path_prefix else None
    if path and not version and not path.is_at_the_root:  # the directory itself names a version
        label = version_label(path.family.parent, path.version.name)
        scope = VersionScope((label,), folders={label: path.folder}, families=families)
    else:
        scope = _scope(version, families)
    directories = _directories(path) if path and (path.rest or not path.is_at_the_root) else ()
    return replace(scope, directories=directories)


def scope_of(url: str, families: tuple[VersionFamily, ...]) -> VersionScope:
    """Return the versions to search for a page: its own version, and the defaults of the other families."""
    return _scope([url], families) if families else NO_VERSIONS


def _scope(requested: Sequence[str], families: tuple[VersionFamily, ...]) -> VersionScope:
    folders: dict[str, str] = {}
    labels: list[str] = []
    is_all = ALL in requested
    for family in families:
        folder_of = dict(_requested_versions(requested, family))
        if not folder_of and family.default:
            folder_of = {version.name: version.folder for version in family.versions if version.name == family.default}
        is_all = is_all or not folder_of
        folders |= {version_label(family.parent, name): folder for name, folder in folder_of.items()}
        labels += [version_label(family.parent, name) for name in folder_of]
    if is_all:
        return VersionScope(families=families)
    return VersionScope((*labels, UNVERSIONED), folders=folders, families=families)


def _requested_versions(requested: Sequence[str], family: VersionFamily) -> Iterator[tuple[str, str]]:
    """Yield the requested versions of a family, each with the folder of its links."""
    for name in requested:
        if name.startswith("/"):
            path = _locate(name, [family])
            if path and path.folder != family.parent:
                yield path.version.name, path.folder
        elif version := _find(name, family):
            yield version.name, version.aliases.get(name) or version.folder


def _find(name: str, family: VersionFamily) -> SiteVersion | None:
    """Return the version with a name or alias; `v1.2` is `1.2`."""
    exact = (version for version in family.versions if name in (version.name, version.title, *version.aliases))
    loose = (version for version in family.versions if bare(name) == bare(version.name))
    return next(exact, None) or next(loose, None)


def _locate(path: str, families: Iterable[VersionFamily]) -> VersionedPath | None:
    """Split a path into its version and the remaining path; None if it is in no family of versions."""
    families, path = tuple(families), path.rstrip("/")
    located_path = versioned_path(path, version_folders(families))
    if located_path and not located_path.is_at_the_root:
        return located_path
    return _in_alias(path, families) or located_path  # people may use an alias without pages of its own


def _in_alias(path: str, families: Iterable[VersionFamily]) -> VersionedPath | None:
    for family in families:
        if path.startswith(f"{family.parent}/"):
            first, _, tail = path[len(family.parent) + 1 :].partition("/")
            for version in family.versions:
                if version.aliases.get(first) == "":
                    return VersionedPath(family, version, version.folder, f"/{tail}" if tail else "")
    return None


def _directories(path: VersionedPath) -> tuple[str, ...]:
    """Return the same directory in every version, since a shared page is stored in one of them."""
    folders: dict[str, None] = {}
    for version in path.family.versions:
        folders |= dict.fromkeys((version.folder, *filter(None, version.aliases.values())))
    return tuple(f"{folder}{path.rest}" for folder in folders if folder or path.rest)


def _all_names(families: Iterable[VersionFamily]) -> list[str]:
    versions = (version for family in families for version in family.versions)
    return list(dict.fromkeys(name for version in versions for name in (version.name, *version.aliases)))


def answer_versions(scope: VersionScope) -> AnswerVersions | None:
    """Return the part of an answer about versions; None if the site has none."""
    if not scope.families:
        return None
    searched = dict.fromkeys(version_names(scope.labels))
    versions = {version.name: version for family in scope.families for version in family.versions}
    return AnswerVersions(
        tuple(searched),
        tuple(dict.fromkeys(family.default for family in scope.families if family.default)),
        tuple(
            AvailableVersion(name, version.title or name, tuple(alias for alias in version.aliases if alias != name))
            for name, version in versions.items()
        ),
    )


def page_versions(page: PageFacts, scope: VersionScope) -> tuple[str, ...]:
    """Return the versions in which a page has the same text: the searched one first, then the newest first."""
    if not scope.families:
        return ()
    return version_names(sorted(page.facets, key=lambda label: label not in scope.folders))


def in_searched_version(record: "ReadableRecord", scope: VersionScope) -> "ReadableRecord":
    """Return the record with the URL and address of its page in the searched version."""
    page = page_in(record.record.page, scope)
    return record if page is record.record.page else record._replace(record=replace(record.record, page=page))


def page_in(page: PageFacts, scope: VersionScope) -> PageFacts:
    """Return the page at its URL and address in the searched version."""
    labels = [label for label in page.facets if label in scope.folders]
    if not labels:
        return page
    folder, path = scope.folders[labels[0]], _locate(page.url, scope.families)
    if path is None or path.folder == folder:
        return page
    address = page.address and folder + page.address[len(path.folder) :]
    return replace(page, url=f"{folder}{path.rest}" or "/", address=address)


def stored_at(url: str, families: Iterable[VersionFamily]) -> Iterator[tuple[str, str]]:
    """Yield the other URLs at which the page shown at `url` may be stored, each with its required label."""
    if path := _locate(url, families):
        label = version_label(path.family.parent, path.version.name)
        yield from ((directory, label) for directory in _directories(path) if directory != url)
