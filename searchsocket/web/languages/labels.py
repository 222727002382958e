"""Label of pages that are translations of one another: `@original=URL`. No facet can have this name.

No search reads it yet.
"""

_PREFIX = "@original="


def original_label(url: str) -> str:
    """The label of a page and of its translations."""
    return f"{_PREFIX}{url}"
