"""Labels by which a store finds the records of a version: `@version=PARENT/NAME`, one per version of a page.

No facet of the settings can have this name.
"""

from collections.abc import Iterable

NAME = "@version"
UNVERSIONED = f"{NAME}="


def version_label(parent: str, name: str) -> str:
    """The label of the pages of one version.

    Args:
        parent: URL path above the version's folder.
    """
    return f"{UNVERSIONED}{parent}/{name}"


def version_names(labels: Iterable[str]) -> tuple[str, ...]:
    """The versions that the labels of a page name, in their order."""
    return tuple(label.rpartition("/")[2] for label in labels if label.startswith(UNVERSIONED) and label != UNVERSIONED)
