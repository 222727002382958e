"""Counts of one day in memory: a query leaves it only after enough visitors searched for it.

No visitor is stored. An address becomes a few bits of a keyed hash; the key is random, stays in memory and lasts a day.
"""

import hashlib
import math
import secrets
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from searchsocket.demand.private_text import storable_query

Outcome = Literal["answered", "weak", "unanswered"]

MAX_QUERIES = 10_000  # counted at once, about 10 MB; the one that was searched longest ago is dropped first
MAX_TYPING = 5_000  # visitors who may still be typing
MAX_URLS = 20  # per query
TYPING_S = 30.0  # a query that continues the last one within this time replaces it
UNREAD_S = 2.0  # so does any query within this time
_QUERY_BITS, _DAY_BITS = 1 << 10, 1 << 16


class SearchEvent(NamedTuple):
    """One search, or one opened result."""

    address: str  # of the visitor; never stored
    scope: str
    query: str
    outcome: Outcome | None = None  # None: as at the last search for it
    url: str = ""  # of the opened page; "" = none was opened


@dataclass(frozen=True, slots=True)
class DemandCounts:
    """Counts of a query, or of a day."""

    visitors: int = 0
    searches: int = 0
    unanswered: int = 0  # visitors without results
    weak: int = 0  # visitors without a close match
    clicked: int = 0  # visitors who opened a result

    def minus(self, other: "DemandCounts") -> "DemandCounts":
        names = DemandCounts.__slots__
        return DemandCounts(*(max(getattr(self, name) - getattr(other, name), 0) for name in names))


@dataclass(frozen=True, slots=True)
class DemandRow:
    """Counts to add to one day of the log; `query` is "" for the day itself, `url` is set for an opened page."""

    day: str  # 2026-11-26
    scope: str
    counts: DemandCounts
    query: str = ""
    url: str = ""


class Visitors:
    """Number of different visitors, by linear counting: the bits cannot be turned back into visitors."""

    __slots__ = ("_bits", "_size")

    def __init__(self, size: int = _QUERY_BITS) -> None:
        self._bits, self._size = 0, size

    def add(self, visitor: int) -> None:
        self._bits |= 1 << (visitor % self._size)

    @property
    def least(self) -> int:
        """There are at least so many: two visitors may share a bit."""
        return self._bits.bit_count()

    @property
    def count(self) -> int:
        """Estimate, within a few per cent."""
        free = max(self._size - self.least, 1)
        return max(self.least, round(self._size * math.log(self._size / free)))


@dataclass(slots=True)
class _Tallied:
    """Counts of one query, or of all."""

    visitors: Visitors = field(default_factory=Visitors)
    unanswered: Visitors = field(default_factory=Visitors)
    weak: Visitors = field(default_factory=Visitors)
    clicked: Visitors = field(default_factory=Visitors)
    urls: dict[str, Visitors] = field(default_factory=dict)
    searches: int = 0
    outcome: Outcome | None = None  # of the last search
    reported: dict[str, DemandCounts] = field(default_factory=dict)  # by URL; "" is the query

    def add(self, visitor: int, event: SearchEvent) -> None:
        self.visitors.add(visitor)
        self.outcome = event.outcome or self.outcome
        if event.url:
            self.clicked.add(visitor)
            if event.url in self.urls or len(self.urls) < MAX_URLS:
                self.urls.setdefault(event.url, Visitors()).add(visitor)
            return
        self.searches += 1
        if self.outcome == "unanswered":
            self.unanswered.add(visitor)
        elif self.outcome == "weak":
            self.weak.add(visitor)

    def counts(self) -> DemandCounts:
        visitors = self.visitors.count
        parts = (min(one.count, visitors) for one in (self.unanswered, self.weak, self.clicked))
        return DemandCounts(visitors, max(self.searches, visitors), *parts)

    def new_rows(self, row: DemandRow, min_visitors: int) -> Iterator[DemandRow]:
        """Counts since the last call, of what enough visitors have in common."""
        current = {"": self.counts()} if self.visitors.least >= min_visitors else {}
        current |= {
            url: DemandCounts(visitors.count) for url, visitors in self.urls.items() if visitors.least >= min_visitors
        }
        for url, counts in current.items():
            new = counts.minus(self.reported.get(url, DemandCounts()))
            self.reported[url] = counts
            if new != DemandCounts():
                yield replace(row, url=url, counts=new)


class _Typed(NamedTuple):
    """The last search of a visitor who may still be typing."""

    event: SearchEvent
    text: str
    at_s: float

    def is_continued_by(self, event: SearchEvent, text: str, now_s: float) -> bool:
        """Return True if a search replaces this one: nobody saw its results, or its words go on."""
        elapsed_s = now_s - self.at_s
        is_prefix = text.startswith(self.text) or self.text.startswith(text)
        return event.scope == self.event.scope and (elapsed_s < UNREAD_S or (is_prefix and elapsed_s <= TYPING_S))


class Tally:
    """Counts of one day; for one thread.

    Args:
        day: As `2026-11-26`.
        min_visitors: A query that fewer visitors share never leaves.
    """

    def __init__(self, day: str, min_visitors: int) -> None:
        self.day = day
        self._min_visitors = min_visitors
        self._key = secrets.token_bytes(32)
        self._queries: OrderedDict[tuple[str, str], _Tallied] = OrderedDict()  # by scope and query
        self._totals: dict[str, _Tallied] = {}  # by scope
        self._typing: OrderedDict[int, _Typed] = OrderedDict()  # by visitor, oldest first
        self._evicted: list[DemandRow] = []

    def note(self, event: SearchEvent, now_s: float) -> None:
        """Count an event. A search waits until its visitor has stopped typing.

        Args:
            now_s: Of any clock that never goes back.
        """
        visitor = int.from_bytes(hashlib.blake2b(event.address.encode(), key=self._key, digest_size=8).digest(), "big")
        text = " ".join(event.query.casefold().split())
        before = self._typing.get(visitor)
        is_search_of_click = bool(event.url) and before is not None and before.text == text
        if before and (is_search_of_click or not (event.url or before.is_continued_by(event, text, now_s))):
            del self._typing[visitor]
            self._count(visitor, before.event)
        if event.url:
            self._count(visitor, event)
            return
        self._typing[visitor] = _Typed(event, text, now_s)
        self._typing.move_to_end(visitor)
        if len(self._typing) > MAX_TYPING:
            oldest, typed = self._typing.popitem(last=False)
            self._count(oldest, typed.event)

    def settle(self, before_s: float = math.inf) -> None:
        """Count the searches that are older than a time: their visitors have stopped typing."""
        while self._typing:
            visitor, typed = next(iter(self._typing.items()))
            if typed.at_s >= before_s:
                return
            del self._typing[visitor]
            self._count(visitor, typed.event)

    def rows(self) -> list[DemandRow]:
        """Everything that may be stored and was not returned before."""
        empty = DemandCounts()
        rows, self._evicted = self._evicted, []
        for scope, total in self._totals.items():
            rows += total.new_rows(DemandRow(self.day, scope, empty), self._min_visitors)
        for (scope, query), tallied in self._queries.items():
            rows += tallied.new_rows(DemandRow(self.day, scope, empty, query), self._min_visitors)
        return rows

    def _count(self, visitor: int, event: SearchEvent) -> None:
        total = self._totals.setdefault(event.scope, _of_all_queries())
        total.add(visitor, event)
        total.urls.clear()
        query = storable_query(event.query)
        if not query:
            return
        key = event.scope, query
        self._queries.setdefault(key, _Tallied()).add(visitor, event)
        self._queries.move_to_end(key)
        if len(self._queries) > MAX_QUERIES:
            (scope, query), tallied = self._queries.popitem(last=False)
            self._evicted += tallied.new_rows(DemandRow(self.day, scope, DemandCounts(), query), self._min_visitors)


def _of_all_queries() -> _Tallied:
    visitors, unanswered, weak, clicked = (Visitors(_DAY_BITS) for _ in range(4))
    return _Tallied(visitors, unanswered, weak, clicked)
