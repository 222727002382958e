"""Links of a scope's pages to pages of the site that do not exist."""

import re
from collections.abc import Iterator
from functools import cache

from searchsocket.state import ScopeState
from searchsocket.state.links import LinkToNowhere
from searchsocket.web.urls.targets import resolve_target

_FILE = re.compile(r"\.(?!x?html?$|md$)[a-z][a-z0-9]{1,4}$", re.IGNORECASE)  # files that are never pages


def dead_links(state: ScopeState) -> Iterator[LinkToNowhere]:
    """Yield the dead links, by rising target and page; links to existing pages that are not indexed are not dead."""

    @cache
    def is_dead(target: str) -> bool:
        return not is_file(target) and resolve_target(target, state.links.is_page) is None

    return (link for link in state.links.to_nowhere() if is_dead(link.target))


def is_file(target: str) -> bool:
    """Return True if a link leads to a file that is not a page: a picture, an archive."""
    return _FILE.search(target.rpartition("/")[2]) is not None
