"""Labels that connect records with versions: `@version=PARENT/NAME`, one for each version of a page.

No facet of the settings can have this name.
"""

from collections.abc import Iterable

from searchsocket.types import VersionFamily

NAME = "@version"
UNVERSIONED = f"{NAME}="


def version_label(parent: str, name: str) -> str:
    """The label of the pages of one version.

    Args:
        parent: URL path above the version's folder.
    """
    return f"{UNVERSIONED}{parent}/{name}"


def version_names(labels: Iterable[str]) -> tuple[str, ...]:
    """The versions in the labels of a page, in their order."""
    return tuple(label.rpartition("/")[2] for label in labels if label.startswith(UNVERSIONED) and label != UNVERSIONED)


def default_labels(families: Iterable[VersionFamily]) -> tuple[str, ...]:
    """The labels of pages that are searched by default: a page needs one of them; () = all pages are searched."""
    labels = [version_label(family.parent, family.default) if family.default else "" for family in families]
    return (*labels, UNVERSIONED) if labels and all(labels) else ()
