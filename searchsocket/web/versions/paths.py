"""Split a URL path into a version and the path below its folder."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from searchsocket.types import SiteVersion, VersionFamily

Folders = Mapping[str, tuple[VersionFamily, SiteVersion]]


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
