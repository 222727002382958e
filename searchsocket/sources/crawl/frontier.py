"""Queue of a crawl: the addresses of each level, by page."""

from collections.abc import Iterable
from heapq import nsmallest
from itertools import islice

from searchsocket.sources.crawl.page_fetch import PageTask
from searchsocket.sources.crawl.pages import MAX_LINKS
from searchsocket.web.urls.resolve import LinkedAddress

_MAX_SPELLINGS = 4  # addresses of one page that are tried


class Frontier:
    """Collects links for the next level; each page is fetched once, or again at a new address if it was missing."""

    def __init__(self, max_pages: int) -> None:
        self._max_pages = max_pages
        self._visited: set[str] = set()
        self._missing: dict[str, set[str]] = {}  # page that no address opened -> tried addresses
        self._next: dict[str, set[str]] = {}
        self._probes: dict[str, LinkedAddress] = {}
        self.is_limited = False  # there were more than `max_pages`
        self.left_out: set[str] = set()  # pages that only links of the last level lead to

    @property
    def pages(self) -> int:
        """Number of pages in all levels so far."""
        return len(self._visited)

    def add(self, linked: LinkedAddress) -> None:
        """Add a link, for the next level."""
        if linked.path in self._visited and linked.address in self._missing.get(linked.path, {linked.address}):
            return
        spellings = self._next.setdefault(linked.path, set())
        spellings.add(linked.address)
        if len(spellings) > _MAX_SPELLINGS:
            spellings.remove(max(spellings))
        room = self._max_pages - len(self._visited)
        if len(self._next) > 2 * room + MAX_LINKS:  # only the first ones will be fetched
            self._next = {path: self._next[path] for path in nsmallest(room + 1, self._next)}

    def leave_out(self, links: Iterable[LinkedAddress]) -> None:
        """Remember the pages of links that are too deep to follow, at most as many as one page may link to."""
        new = (linked.path for linked in links if linked.path not in self._visited)
        self.left_out.update(islice(new, MAX_LINKS - len(self.left_out)))

    def add_probe(self, path: str, probe: LinkedAddress) -> None:
        """Add an address that may be a page besides the one at `path`."""
        if probe.path not in self._visited:
            self._next[probe.path] = {probe.address}
            self._probes[probe.path] = LinkedAddress(path, probe.address)

    def mark_missing(self, task: PageTask) -> None:
        """Allow a page to be fetched again if a link has another address for it."""
        self._missing.setdefault(task.key, set()).update(task.addresses)

    def next_level(self) -> list[PageTask]:
        """The tasks of the next level, sorted and within the page limit; their pages count as visited."""
        paths = sorted(self._next)
        room = self._max_pages - len(self._visited)
        level: list[PageTask] = []
        for path in paths:
            if path not in self._visited:
                if room <= 0:
                    self.is_limited = True
                    continue
                room -= 1
            tried = self._missing.get(path, set())
            addresses = tuple(sorted(self._next[path] - tried))
            probe = self._probes.get(path)
            level.append(PageTask(path, addresses, probe.path if probe else ""))
        self._next.clear()
        self._probes.clear()
        self._visited.update(task.key for task in level)
        return level
