"""Demand report: what visitors search for most, and what they do not find, with a proposal for each."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

import numpy as np

from searchsocket.demand.log import DemandLog
from searchsocket.demand.proposals import CurrentAnswer, DemandProposal, NearPage, Probe, propose
from searchsocket.demand.tally import DemandCounts, DemandRow
from searchsocket.models.embedders.comparable import vector_for
from searchsocket.models.embedders.lexicon import is_language, is_run_of_keys
from searchsocket.models.embedders.queries import NoVector
from searchsocket.project.project import Project
from searchsocket.quality.golden import golden_queries
from searchsocket.search.answer import Quality, SearchAnswer
from searchsocket.search.engine import SearchEngine
from searchsocket.search.query import SearchQuery
from searchsocket.search.wire import Wire
from searchsocket.text.words import parse_query
from searchsocket.types import Scope, Vectors

MAX_ENTRIES = 100  # of each list
_MOST = 0.5  # of its visitors got no results, or no close match
_FEW = 0.1  # of its visitors opened a result
_PAGES = 3
_MAX_LONGER = 50
_LEAST_CONFIDENCE = 0.05  # of a page that is named
_NEAREST = 10  # chunks


@dataclass(frozen=True, slots=True)
class OpenedPage(Wire):
    """A page that enough visitors opened."""

    url: str
    visitors: int


@dataclass(frozen=True, slots=True)
class DemandEntry(Wire):
    """A query, as the log and the live index have it."""

    query: str
    variants: tuple[str, ...]  # other forms with the same words
    visitors: int
    searches: int
    unanswered: int  # visitors without results
    weak: int  # visitors without a close match
    clicked: int  # visitors who opened a result
    opened: tuple[OpenedPage, ...]
    current_quality: Quality  # of the live index
    nearest: tuple[NearPage, ...]
    proposal: DemandProposal | None = None
    number: int | None = None  # of the proposal, to accept it


@dataclass(frozen=True, slots=True)
class DemandReport(Wire):
    """Demand of one scope over some days. A visitor counts once per query and day."""

    scope: str
    first_day: str
    last_day: str
    min_visitors: int
    visitors: int
    searches: int
    unanswered: int
    weak: int
    clicked: int  # 0: no beacon reports opened results
    queries: int  # in the log
    without_results: tuple[DemandEntry, ...]
    no_close_match: tuple[DemandEntry, ...]
    without_click: tuple[DemandEntry, ...]
    top: tuple[DemandEntry, ...]

    @property
    def entries(self) -> tuple[DemandEntry, ...]:
        """The entries of all lists."""
        return (*self.without_results, *self.no_close_match, *self.without_click, *self.top)


@dataclass(frozen=True, slots=True)
class _Demand:
    """A query with its variants."""

    query: str
    variants: tuple[str, ...]
    counts: DemandCounts
    opened: tuple[OpenedPage, ...]


def demand_report(
    project: Project, engine: SearchEngine, scope: Scope, *, today: date, days: int, limit: int
) -> DemandReport:
    """Read the log of the last days, and ask the live index each query that is listed.

    Args:
        limit: Entries of each list.

    Raises:
        StateUnavailable: The log cannot be read.
        SearchSocketError: As `SearchEngine.search`.
    """
    first_day = (today - timedelta(days=days - 1)).isoformat()
    rows = DemandLog(project.state_dir).rows(scope.name, first_day)
    total = next((row.counts for row in rows if not row.query), DemandCounts())
    demands = _demands(rows)
    golden = {each.query.casefold() for each in golden_queries(project.root, project.settings.golden.file, scope.name)}
    entry = _EntryMaker(engine, scope, golden)
    listed = (_listed(is_listed, demands, total)[:limit] for is_listed in _LISTS)
    lists = _numbered([[entry(each) for each in demands] for demands in listed])
    without_results, no_close_match, without_click, top = lists
    return DemandReport(
        scope.name, first_day, today.isoformat(), project.settings.demand.min_visitors,
        total.visitors, total.searches, total.unanswered, total.weak, total.clicked, len(demands),
        without_results, no_close_match, without_click, top,
    )  # fmt: skip


def _demands(rows: Iterable[DemandRow]) -> list[_Demand]:
    """Queries with the same words as one, the form that most visitors use."""
    opened: dict[str, list[OpenedPage]] = {}
    forms: dict[frozenset[str], list[DemandRow]] = {}
    for row in rows:
        if row.url:
            opened.setdefault(row.query, []).append(OpenedPage(row.url, row.counts.visitors))
        elif row.query:
            forms.setdefault(_words_of(row.query), []).append(row)
    groups = (sorted(group, key=lambda row: -row.counts.visitors) for group in forms.values())
    return _without_beginnings([_demand(group, opened) for group in groups])


def _without_beginnings(demands: Iterable[_Demand]) -> list[_Demand]:
    """Leave out beginnings of words that more visitors typed on; several processes each see some of the keys."""
    ordered = sorted(demands, key=lambda each: each.query)
    following = (ordered[at + 1 : at + 1 + _MAX_LONGER] for at in range(len(ordered)))
    return [each for each, longer in zip(ordered, following, strict=True) if not _is_beginning(each, longer)]


def _is_beginning(demand: _Demand, longer: Iterable[_Demand]) -> bool:
    end = len(demand.query)
    typed_on = (
        each.counts.visitors >= demand.counts.visitors
        for each in longer
        if each.query.startswith(demand.query) and each.query[end].isalnum()
    )
    return any(typed_on) and not is_language(demand.query)


def _demand(group: Sequence[DemandRow], opened: Mapping[str, Sequence[OpenedPage]]) -> _Demand:
    pages: dict[str, int] = {}
    for page in (page for row in group for page in opened.get(row.query, ())):
        pages[page.url] = pages.get(page.url, 0) + page.visitors
    by_visitors = sorted(pages.items(), key=lambda pair: (-pair[1], pair[0]))
    counts = DemandCounts(*(sum(getattr(row.counts, name) for row in group) for name in DemandCounts.__slots__))
    query, *variants = (row.query for row in group)
    return _Demand(query, tuple(variants), counts, tuple(OpenedPage(*pair) for pair in by_visitors))


def _words_of(query: str) -> frozenset[str]:
    words = parse_query(query).words
    return frozenset(word.stem or word.exact for word in words if not word.is_stop) or frozenset([query])


def is_noise(query: str) -> bool:
    """Return True if somebody only tried the keys: `asdf`, `xxx`."""
    return all(len(set(word)) == 1 or is_run_of_keys(word) for word in query.split())


def _is_unanswered(counts: DemandCounts) -> bool:
    return counts.unanswered >= _MOST * counts.visitors


def _is_weak(counts: DemandCounts) -> bool:
    return not _is_unanswered(counts) and counts.weak >= _MOST * counts.visitors


def _is_unclicked(counts: DemandCounts) -> bool:
    return not _is_unanswered(counts) and not _is_weak(counts) and counts.clicked < _FEW * counts.visitors


_LISTS = (_is_unanswered, _is_weak, _is_unclicked, lambda _: True)


def _listed(
    is_listed: Callable[[DemandCounts], bool],
    demands: Iterable[_Demand],
    total: DemandCounts,
) -> list[_Demand]:
    """The demands of a list, most visitors first; noise comes last."""
    if is_listed is _is_unclicked and not total.clicked:
        return []  # nobody reports clicks
    listed = (each for each in demands if is_listed(each.counts))
    return sorted(listed, key=lambda each: (is_noise(each.query), -each.counts.visitors, each.query))


def _numbered(lists: Sequence[Sequence[DemandEntry]]) -> list[tuple[DemandEntry, ...]]:
    """Number the proposals, from 1; the same one has the same number."""
    numbers: dict[str, int] = {}
    numbered = []
    for entries in lists:
        for entry in entries:
            if entry.proposal:
                numbers.setdefault(entry.proposal.text, len(numbers) + 1)
        numbered.append(
            tuple(replace(each, number=numbers[each.proposal.text]) if each.proposal else each for each in entries)
        )
    return numbered


class _EntryMaker:
    """Makes entries of queries, each once."""

    def __init__(self, engine: SearchEngine, scope: Scope, golden: set[str]) -> None:
        self._engine = engine
        self._scope = scope
        self._golden = golden
        self._reader = engine.opened(scope)
        embedder = engine.queries.embedder_of(self._reader.generation.model_id)
        self._probe = Probe(self._search, None if embedder.is_remote else self._embed)
        self._entries: dict[str, DemandEntry] = {}

    def __call__(self, demand: _Demand) -> DemandEntry:
        if demand.query not in self._entries:
            self._entries[demand.query] = self._entry(demand)
        return self._entries[demand.query]

    def _entry(self, demand: _Demand) -> DemandEntry:
        current = self._current(demand.query)
        opened = demand.opened[0].url if demand.opened else ""
        is_golden = demand.query in self._golden
        visitors = demand.counts.visitors
        proposal = propose(current, opened, visitors, self._probe, is_golden=is_golden)
        return DemandEntry(
            demand.query, demand.variants, visitors, demand.counts.searches, demand.counts.unanswered,
            demand.counts.weak, demand.counts.clicked, demand.opened[:_PAGES], current.quality, current.pages, proposal,
        )  # fmt: skip

    def _search(self, query: str) -> SearchAnswer:
        return self._engine.search(SearchQuery(query, top_k=_PAGES), self._scope)

    def _embed(self, texts: Sequence[str]) -> Vectors:
        embedder = self._engine.queries.embedder_of(self._reader.generation.model_id)
        return np.asarray(embedder.embed(texts, "query"), np.float32)

    def _current(self, query: str) -> CurrentAnswer:
        answer = self._search(query)
        likely = [each for each in answer.results if each.confidence >= _LEAST_CONFIDENCE] or answer.results[:1]
        pages = tuple(NearPage(each.url, each.title, each.confidence) for each in likely)
        missing = self._reader.words.evidence(query).missing
        return CurrentAnswer(query, answer.quality, pages or self._nearest(query), missing, is_noise(query))

    def _nearest(self, query: str) -> tuple[NearPage, ...]:
        """The nearest pages of a query without results: by words first, then by meaning."""
        reader = self._reader
        worded = [hit.id for hit in reader.words.search(query, top_k=_NEAREST)]
        vector = vector_for(self._engine.queries, reader.generation, query)
        near = (
            [] if isinstance(vector, NoVector) else [hit.id for hit in reader.vectors.nearest(vector, top_k=_NEAREST)]
        )
        facts = reader.catalogue.facts([*worded[:1], *near, *worded[1:]])
        pages = dict(zip(facts.url, facts.title, strict=True))
        return tuple(NearPage(url, title, None) for url, title in list(pages.items())[:_PAGES])
