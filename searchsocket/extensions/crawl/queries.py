"""Addresses that differ by their query: find out which are pages of their own."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from searchsocket.errors import InvalidRequest
from searchsocket.web.urls.paths import path_with_query
from searchsocket.web.urls.resolve import LinkedAddress

MAX_PROBES = 100  # fetched per crawl to learn what their canonical links say
_PROBES_PER_NAMES = 5  # of these, with the same parameters
_PROBES_PER_PATH = 10
_MAX_REPORTED = 10_000  # addresses that are counted
_MAX_QUERY_CHARS = 500
_EXAMPLES = 3
# Parameters of campaigns; they never select a page.
_TRACKING = re.compile(r"utm_\w+|[gf]bclid|gclid|msclkid|mc_[ce]id", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Query:
    """The query of an address, as its parameters in order."""

    parameters: tuple[str, ...]  # `page=2`

    @property
    def names(self) -> frozenset[str]:
        return frozenset(parameter.partition("=")[0] for parameter in self.parameters)

    def only(self, names: Iterable[str]) -> "Query":
        kept = frozenset(names)
        return Query(tuple(text for text in self.parameters if text.partition("=")[0] in kept))

    def __str__(self) -> str:
        return "&".join(self.parameters)


def query_of(address: str) -> Query:
    """The query of an address, without empty and tracking parameters."""
    parameters = address.partition("?")[2].split("&")
    return Query(tuple(text for text in parameters if text and not _TRACKING.match(text.partition("=")[0])))


_Group = tuple[str, frozenset[str]]  # a path, and names of parameters


class QueryPages:
    """Decides which addresses with a query are pages, by `source.crawl.query_parameters` or by canonical links."""

    def __init__(self, parameters: Sequence[str]) -> None:
        """
        Args:
            parameters: Names of parameters that select a page; empty = as canonical links say.
        """
        self._stated = frozenset(parameters)
        self._names_by_path: dict[str, frozenset[str]] = {}  # learned from canonical links
        self._waiting: dict[str, set[LinkedAddress]] = {}  # by path, until the parameters of the path are known
        self._probed: set[_Group] = set()
        self._same: set[_Group] = set()  # their addresses open the page of their path
        self._other: dict[str, _Group] = {}  # addresses that may be pages

    def page(self, linked: LinkedAddress) -> LinkedAddress | None:
        """The page that a link with a query means, with the query in its key; None if it is not known to be a page."""
        names = self._stated or self._names_by_path.get(linked.path, frozenset())
        return with_query(linked, query_of(linked.address).only(names))

    def offer(self, linked: LinkedAddress) -> LinkedAddress | None:
        """Like `page`; remembers an address that may be a page."""
        if page := self.page(linked):
            return page
        query = query_of(linked.address)
        if not query.parameters or len(str(query)) > _MAX_QUERY_CHARS:
            return None
        group = (linked.path, query.names)
        if self._stated or group in self._same or len(self._other) >= _MAX_REPORTED:
            return None
        self._other[linked.address] = group
        if group not in self._probed:
            self._waiting.setdefault(linked.path, set()).add(linked)
        return None

    def probes(self) -> list[tuple[str, LinkedAddress]]:
        """The addresses to fetch next, with their paths: one of each path and set of parameters, within limits."""
        chosen: list[tuple[str, LinkedAddress]] = []
        for path in sorted(self._waiting):
            for linked in sorted(self._waiting[path]):
                query = query_of(linked.address)
                group = (path, query.names)
                if group in self._probed or len(self._probed) >= MAX_PROBES or not self._may_probe(group):
                    continue
                if probe := with_query(linked, query):
                    self._probed.add(group)
                    chosen.append((path, probe))
        return chosen

    def _may_probe(self, group: _Group) -> bool:
        """Return False if enough of a path, or of these parameters on other paths, was tried in vain."""
        path, names = group
        others = [other for other, probed in self._probed if probed == names]
        is_hopeless = len(others) >= _PROBES_PER_NAMES and not any(map(self._names_by_path.get, others))
        return not is_hopeless and sum(other == path for other, _ in self._probed) < _PROBES_PER_PATH

    def learn(self, path: str, probe: LinkedAddress, canonical: LinkedAddress | None) -> list[LinkedAddress]:
        """Use the canonical link of a probe; return the addresses that are pages by it."""
        names = query_of(canonical.address).names if canonical else frozenset[str]()
        group = (path, query_of(probe.address).names)
        if canonical is None or canonical.path != path or not names <= group[1]:
            return []
        if not names:
            self.dismiss(path, probe)
            return []
        self._names_by_path[path] = self._names_by_path.get(path, frozenset()) | names
        waiting = self._waiting.pop(path, set())
        pages = {linked: self.page(linked) for linked in sorted(waiting)}
        self._waiting[path] = {linked for linked, page in pages.items() if page is None}
        for linked, page in pages.items():
            if page is not None:
                self._other.pop(linked.address, None)
        return [page for page in pages.values() if page is not None]

    def dismiss(self, path: str, probe: LinkedAddress) -> None:
        """Report no address like this probe: it opens the page of its path, or nothing."""
        group = (path, query_of(probe.address).names)
        self._same.add(group)
        self._other = {address: other for address, other in self._other.items() if other != group}

    def warning(self) -> str:
        """The addresses that may be pages but were not fetched, in words; "" if there are none."""
        if not self._other:
            return ""
        number = f"{len(self._other):,}" if len(self._other) < _MAX_REPORTED else f"at least {_MAX_REPORTED:,}"
        examples = ", ".join(sorted(self._other)[:_EXAMPLES])
        return (
            f"linked addresses that differ from others only by their query were left out: {number}, e.g. {examples}; "
            "if they are pages, list their parameters in source.crawl.query_parameters"
        )


def with_query(linked: LinkedAddress, query: Query) -> LinkedAddress | None:
    """The page of an address with this query: its key contains the sorted query; None without a query."""
    if not query.parameters:
        return None
    address = f"{linked.address.partition('?')[0]}?{query}"
    try:
        key = path_with_query(linked.path, str(query))
    except InvalidRequest:
        return None
    return LinkedAddress(key, address)
