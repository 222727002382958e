"""Label by which a query recognizes translations of one page: `@original=URL`. No facet can have this name."""

from collections.abc import Iterable

_PREFIX = "@original="


def original_label(url: str) -> str:
    """The label of a page and of its translations."""
    return f"{_PREFIX}{url}"


def original_of(labels: Iterable[str]) -> str:
    """The URL of the page in the default language; "" if the page has no translations."""
    return next((label[len(_PREFIX) :] for label in labels if label.startswith(_PREFIX)), "")
