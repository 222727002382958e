"""Generated lists of what other pages explain: source code of a documented library, indexes of its names."""

import re
from functools import lru_cache

SHARE = 0.5  # what such a page scores of what a guide would
_LISTING = re.compile(
    r"/_(?:modules|sources?)(?:/|$)"  # Sphinx
    r"|/(?:genindex|py-modindex|modindex)(?:-[\w-]+)?(?:\.html?)?$"
    r"|/(?:index-all|allclasses(?:-\w+)?|allpackages-index|src-html/.+|index-files/.+)(?:\.html?)?$"  # Javadoc
    r"|_8\w{1,8}_source(?:\.html?)?$"  # Doxygen
    r"|/src/.+\.rs(?:\.html?)?$"  # rustdoc
)


@lru_cache(maxsize=1 << 14)  # the same pages are found again and again
def is_listing(url: str) -> bool:
    """Return True if a generator uses this path for a source listing or an index of names."""
    return _LISTING.search(url) is not None
