"""Label of pages that are translations of each other: `@original=URL`. No facet can have this name."""

from collections.abc import Iterable

NAME = "@original"
_PREFIX = f"{NAME}="


def original_label(url: str) -> str:
    """The label of a page and of its translations."""
    return f"{_PREFIX}{url}"


def original_of(labels: Iterable[str]) -> str:
    """The URL of the original that the labels of a page name; "" if the page has no translation."""
    return next((label.removeprefix(_PREFIX) for label in labels if label.startswith(_PREFIX)), "")
