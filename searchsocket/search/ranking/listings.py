"""Recognize generated listings, which other pages explain: source code of a library, indexes of its names."""

import re
from functools import lru_cache

SHARE = 0.5  # factor of such a page compared with a guide
_LISTING = re.compile(
    r"/_(?:modules|sources?)(?:/|$)"  # Sphinx
    r"|/(?:genindex|py-modindex|modindex)(?:-[\w-]+)?(?:\.html?)?$"
    r"|/(?:index-all|allclasses(?:-\w+)?|allpackages-index|src-html/.+|index-files/.+)(?:\.html?)?$"  # Javadoc
    r"|_8\w{1,8}_source(?:\.html?)?$"  # Doxygen
    r"|/src/.+\.rs(?:\.html?)?$"  # rustdoc
)


@lru_cache(maxsize=1 << 14)  # queries share pages
def is_listing(url: str) -> bool:
    """Return True if a generator uses this path for a source listing or an index of names."""
    return _LISTING.search(url) is not None
