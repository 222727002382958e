"""Counts of one day in memory: a query is only stored after enough visitors searched for it.

No visitor is stored. An address becomes a few bits of a keyed hash; the random key is in memory only, for one day.
"""

import hashlib
import math
import re
import secrets
import unicodedata
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal, NamedTuple

from searchsocket.text.redaction import Redactor

Outcome = Literal["answered", "weak", "unanswered"]
Reaction = Literal["refused", "not_helpful"]  # to a question that is answered in sentences

MAX_QUERIES = 10_000  # in memory, about 10 MB; the least recently searched one is dropped first
MAX_TYPING = 5_000  # visitors who may still be typing
MAX_URLS = 20  # per query
TYPING_S = 30.0  # a query that continues the last one within this time replaces it
UNREAD_S = 2.0  # any query within this time replaces the last one too
_QUERY_BITS, _DAY_BITS = 1 << 10, 1 << 16
MAX_CHARS = 100  # a longer text is probably pasted, and never shared by two visitors
_PRIVATE = re.compile(
    r"\S@\S|\S\s?@\s?\S+\.[^\W\d_]{2}|[(\[{]\s?at\s?[)\]}]"  # mail addresses, and passwords in URLs
    r"|://\S*[?#]"  # parameters of a URL
    r"|(?:\d[ ./()+:-]{0,2}){9,}"  # telephone, card, account and identity numbers
    r"|\b\d{1,3}(?:\.\d{1,3}){3}\b|(?:[0-9a-f]{1,4}:){3,}"  # network addresses
    r"|\b(?=[0-9a-f:]*\d)[0-9a-f]{1,4}::[0-9a-f]|\b[0-9a-f]{1,4}:[0-9a-f]{1,4}::"  # shortened ones
    r"|[0-9a-f]{8}-[0-9a-f]{4}-"  # UUIDs
    r"|\b(?:passw\w*|passphrase|passcode|pwd|kennwort)\W+(?=\S*\d)(?=\S*[a-z])\S{8}"
    r"|(?<!\berror )(?<!\bstatus )(?<!\bexit )\b(?:code|pin|otp|tan)\W+\d{6}",
    re.IGNORECASE,
)
_RUN = re.compile(r"[A-Za-z0-9+=]{16,}")
_CHANGE = re.compile(r"(?<=[0-9])(?=[A-Za-z])|(?<=[A-Za-z])(?=[0-9])")
_RANDOM_CHANGES = 3  # between letters and digits; words with a number have fewer


class SearchEvent(NamedTuple):
    """One search, or one opened result."""

    address: str  # of the visitor; never stored
    scope: str
    query: str
    outcome: Outcome | None = None  # None: that of the last search for the query
    url: str = ""  # of the opened page; "" for a search
    reaction: Reaction | None = None  # None for a search


@dataclass(frozen=True, slots=True)
class DemandCounts:
    """Counts of a query, or of a day."""

    visitors: int = 0
    searches: int = 0
    unanswered: int = 0  # visitors without results
    weak: int = 0  # visitors without a close match
    clicked: int = 0  # visitors who opened a result
    refused: int = 0  # visitors whose question was not answered in sentences
    not_helpful: int = 0  # visitors whom an answer in sentences did not help

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
    """Number of different visitors, by linear counting; the bits do not identify visitors."""

    __slots__ = ("_bits", "_size")

    def __init__(self, size: int = _QUERY_BITS) -> None:
        self._bits, self._size = 0, size

    def add(self, visitor: int) -> None:
        self._bits |= 1 << (visitor % self._size)

    @property
    def least(self) -> int:
        """Lower bound of the number: two visitors may share a bit."""
        return self._bits.bit_count()

    @property
    def count(self) -> int:
        """Estimated number, within a few per cent."""
        free = max(self._size - self.least, 1)
        return max(self.least, round(self._size * math.log(self._size / free)))


@dataclass(slots=True)
class _VisitorCounts:
    """Counts of one query, or of all queries."""

    visitors: Visitors = field(default_factory=Visitors)
    unanswered: Visitors = field(default_factory=Visitors)
    weak: Visitors = field(default_factory=Visitors)
    clicked: Visitors = field(default_factory=Visitors)
    refused: Visitors = field(default_factory=Visitors)
    not_helpful: Visitors = field(default_factory=Visitors)
    urls: dict[str, Visitors] = field(default_factory=dict)
    searches: int = 0
    outcome: Outcome | None = None  # of the last search
    reported: dict[str, DemandCounts] = field(default_factory=dict)  # by URL; "" is the query

    def add(self, visitor: int, event: SearchEvent) -> None:
        self.visitors.add(visitor)
        if event.reaction:
            (self.refused if event.reaction == "refused" else self.not_helpful).add(visitor)
            return
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
        parts = (
            min(group.count, visitors)
            for group in (self.unanswered, self.weak, self.clicked, self.refused, self.not_helpful)
        )
        return DemandCounts(visitors, max(self.searches, visitors), *parts)

    def new_rows(self, row: DemandRow, min_visitors: int) -> Iterator[DemandRow]:
        """Yield the counts since the last call, of queries and URLs that enough visitors share."""
        current = {"": self.counts()} if self.visitors.least >= min_visitors else {}
        current |= {
            url: DemandCounts(visitors.count) for url, visitors in self.urls.items() if visitors.least >= min_visitors
        }
        for url, counts in current.items():
            new = counts.minus(self.reported.get(url, DemandCounts()))
            self.reported[url] = counts
            if new != DemandCounts():
                yield replace(row, url=url, counts=new)


class _LastSearch(NamedTuple):
    """The last search of a visitor who may still be typing."""

    event: SearchEvent
    text: str
    at_s: float

    def is_continued_by(self, event: SearchEvent, text: str, now_s: float) -> bool:
        """Return True if a search replaces this one: within `UNREAD_S`, or within `TYPING_S` if it extends the text."""
        elapsed_s = now_s - self.at_s
        is_prefix = text.startswith(self.text) or self.text.startswith(text)
        return event.scope == self.event.scope and (elapsed_s < UNREAD_S or (is_prefix and elapsed_s <= TYPING_S))


class Tally:
    """Counts of one day; for one thread.

    Args:
        day: As `2026-11-26`.
        min_visitors: A query of fewer visitors is never stored.
    """

    def __init__(self, day: str, min_visitors: int) -> None:
        self.day = day
        self._min_visitors = min_visitors
        self._key = secrets.token_bytes(32)
        self._queries: OrderedDict[tuple[str, str], _VisitorCounts] = OrderedDict()  # by scope and query
        self._totals: dict[str, _VisitorCounts] = {}  # by scope
        self._typing: OrderedDict[int, _LastSearch] = OrderedDict()  # by visitor, oldest first
        self._evicted: list[DemandRow] = []

    def note(self, event: SearchEvent, now_s: float) -> None:
        """Count an event. A search waits until its visitor has stopped typing.

        Args:
            now_s: Time of a monotonic clock.
        """
        visitor = int.from_bytes(hashlib.blake2b(event.address.encode(), key=self._key, digest_size=8).digest(), "big")
        text = " ".join(event.query.casefold().split())
        previous = self._typing.get(visitor)
        is_search_of_click = bool(event.url) and previous is not None and previous.text == text
        is_search = not (event.url or event.reaction)
        if previous and (is_search_of_click or (is_search and not previous.is_continued_by(event, text, now_s))):
            del self._typing[visitor]
            self._count(visitor, previous.event)
        if not is_search:
            self._count(visitor, event)
            return
        self._typing[visitor] = _LastSearch(event, text, now_s)
        self._typing.move_to_end(visitor)
        if len(self._typing) > MAX_TYPING:
            oldest, search = self._typing.popitem(last=False)
            self._count(oldest, search.event)

    def settle(self, before_s: float = math.inf) -> None:
        """Count the searches before a time: their visitors have stopped typing."""
        while self._typing:
            visitor, search = next(iter(self._typing.items()))
            if search.at_s >= before_s:
                return
            del self._typing[visitor]
            self._count(visitor, search.event)

    def rows(self) -> list[DemandRow]:
        """Return the rows that may be stored, without those of earlier calls."""
        empty = DemandCounts()
        rows, self._evicted = self._evicted, []
        for scope, total in self._totals.items():
            rows += total.new_rows(DemandRow(self.day, scope, empty), self._min_visitors)
        for (scope, query), counts in self._queries.items():
            rows += counts.new_rows(DemandRow(self.day, scope, empty, query), self._min_visitors)
        return rows

    def _count(self, visitor: int, event: SearchEvent) -> None:
        total = self._totals.setdefault(event.scope, _of_all_queries())
        total.add(visitor, event)
        total.urls.clear()
        query = storable_query(event.query)
        if not query:
            return
        key = event.scope, query
        self._queries.setdefault(key, _VisitorCounts()).add(visitor, event)
        self._queries.move_to_end(key)
        if len(self._queries) > MAX_QUERIES:
            (scope, query), counts = self._queries.popitem(last=False)
            self._evicted += counts.new_rows(DemandRow(self.day, scope, DemandCounts(), query), self._min_visitors)


def _of_all_queries() -> _VisitorCounts:
    visitors, unanswered, weak, clicked, refused, not_helpful = (Visitors(_DAY_BITS) for _ in range(6))
    return _VisitorCounts(visitors, unanswered, weak, clicked, refused, not_helpful)


def storable_query(query: str) -> str:
    """Return the query in the form in which it is counted; "" if its text must not be stored."""
    text = unicodedata.normalize("NFKC", query)
    if len(text) > MAX_CHARS or _PRIVATE.search(text) or any(map(_looks_random, _RUN.findall(text))):
        return ""
    if _redactor().redact(text).count:
        return ""
    return " ".join(text.casefold().split())[:MAX_CHARS]


def _looks_random(run: str) -> bool:
    return len(_CHANGE.findall(run)) >= _RANDOM_CHANGES


@cache
def _redactor() -> Redactor:
    return Redactor()
