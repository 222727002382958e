"""Demand report: the most frequent queries, and queries without a good answer, with a proposal for each."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from difflib import SequenceMatcher
from pathlib import Path
from typing import Literal

import numpy as np

from searchsocket.curation.rules import FILE_NAME as CURATION_FILE
from searchsocket.extensions.demand.log import DemandLog
from searchsocket.extensions.demand.settings import DemandSettings
from searchsocket.extensions.demand.tally import DemandCounts, DemandRow
from searchsocket.models.embedders.builtin import is_language, is_run_of_keys
from searchsocket.project.project import Project
from searchsocket.quality.golden import Proposal, as_toml, golden_file, golden_queries, toml_text
from searchsocket.search.answer import Quality, SearchAnswer
from searchsocket.search.candidates import nearest_chunks
from searchsocket.search.engine import SearchEngine
from searchsocket.search.query import SearchQuery
from searchsocket.search.wire import Wire
from searchsocket.text.words import STOP_WORDS, parse_query, plain_words
from searchsocket.types import Scope, Vectors

ProposalKind = Literal["synonyms", "pin", "golden query", "missing page"]
GOLDEN_FILE, MISSING_PAGES_FILE = "golden-queries.toml", "missing-pages.md"
_SIMILAR_MEANING, _SIMILAR_SPELLING = 0.45, 0.75
_MAX_TRIALS = 4  # searches for one missing word
_OPENED = "opened more than other results"

MAX_ENTRIES = 100  # per list
_MOST = 0.5  # least share of a query's visitors without results, or without a close match
_FEW = 0.1  # share of a query's visitors who opened a result; below it the query is listed
_PAGES = 3
_MAX_LONGER = 50
_LEAST_CONFIDENCE = 0.05  # of a page in the report


@dataclass(frozen=True, slots=True)
class NearPage(Wire):
    """A page near to a query."""

    url: str
    title: str
    confidence: float | None  # None: not a result, only near in meaning or words


@dataclass(frozen=True, slots=True)
class DemandProposal(Wire):
    """Text to add to a file, if a person agrees."""

    kind: ProposalKind
    summary: str
    reason: str
    file: str
    text: str


@dataclass(frozen=True, slots=True)
class CurrentAnswer:
    """The answer of the live index to a query of the log."""

    query: str
    quality: Quality
    pages: tuple[NearPage, ...]  # results, or else the nearest pages
    missing: tuple[str, ...]  # words that are on no page
    is_noise: bool  # True if somebody only hit random keys


@dataclass(frozen=True, slots=True)
class Probe:
    """Searches that test a proposal, and vectors of words if they cost nothing."""

    search: Callable[[str], SearchAnswer]
    embed: Callable[[Sequence[str]], Vectors] | None


def propose(
    current: CurrentAnswer, opened: str, visitors: int, probe: Probe, golden_file: Path | None, *, is_golden: bool
) -> DemandProposal | None:
    """Return the proposal for a query; None if nothing has to change, or the query is noise.

    Args:
        opened: URL of the page that most visitors opened; "" if unknown.
        visitors: Number of visitors who searched for the query.
        golden_file: The file of golden queries; None if there is none yet.
        is_golden: True if the query is a golden query already.
    """
    first = current.pages[0].url if current.pages else ""
    if opened and (opened != first or current.quality == "weak"):
        return pin_proposal(current.query, opened, _OPENED)
    if current.quality == "answered" or opened:
        first_page = current.pages[0]
        reason = _OPENED if opened else f"first result, confidence {first_page.confidence or 0:.2f}"
        return None if is_golden else _golden(current, reason, golden_file)
    for word in current.missing:
        if synonyms := _synonyms(word, current, probe):
            return synonyms
    return None if current.is_noise else _missing_page(current, visitors)


def pin_proposal(query: str, url: str, reason: str) -> DemandProposal:
    """Return a proposal to show a page first for a query."""
    text = f"[[pin]]\nquery = {toml_text(query)}\npages = [{toml_text(url)}]\n"
    return DemandProposal("pin", f"pin {url}", reason, CURATION_FILE, text)


def _golden(current: CurrentAnswer, reason: str, file: Path | None) -> DemandProposal:
    expect, *others = (page.url for page in current.pages)
    if file and file.suffix == ".tsv":
        cells = {"query": current.query, "target": expect, "kind": "demand"}
        heads = file.read_text(encoding="utf-8").partition("\n")[0].split("\t")
        text = "\t".join(cells.get(head, "") for head in heads) + "\n"
    else:
        text = as_toml([Proposal(current.query, (expect,), tuple(others))])
    return DemandProposal("golden query", f"expect {expect}", reason, file.name if file else GOLDEN_FILE, text)


def _missing_page(current: CurrentAnswer, visitors: int) -> DemandProposal:
    near = ", ".join(f"`{page.url}`" for page in current.pages)
    reason = f"no page has {', '.join(map(repr, current.missing))}" if current.missing else "no page answers it"
    query = " ".join(current.query.replace("`", "").split())
    text = f"- [ ] `{query}`: {visitors} visitors; {reason}{f'; nearest: {near}' if near else ''}\n"
    return DemandProposal("missing page", "write one, or ignore it", reason, MISSING_PAGES_FILE, text)


def _synonyms(word: str, current: CurrentAnswer, probe: Probe) -> DemandProposal | None:
    """Propose a word of a near page as a synonym of a missing word, if the site answers the query with it."""
    for synonym in list(_similar_words(word, current, probe))[:_MAX_TRIALS]:
        answer = probe.search(" ".join(synonym if typed == word else typed for typed in current.query.split()))
        if answer.results and answer.quality == "answered":
            url = answer.results[0].url
            text = f"[[synonyms]]\nwords = [{toml_text(word)}, {toml_text(synonym)}]\n"
            reason = f"no page has {word!r}; with {synonym!r}, {url} answers"
            return DemandProposal("synonyms", f"{word} = {synonym}", reason, CURATION_FILE, text)
    return None


def _similar_words(word: str, current: CurrentAnswer, probe: Probe) -> Iterator[str]:
    """Yield words of the nearest titles by falling similarity to a word, in meaning or spelling."""
    ignored = STOP_WORDS | set(plain_words(current.query))
    parts = (part.strip(".,:;!?()\"'") for page in current.pages for part in page.title.casefold().split())
    candidates = [part for part in dict.fromkeys(parts) if part.isalpha() and part not in ignored and len(part) > 2]
    if not candidates:
        return
    meaning = [0.0] * len(candidates)
    if probe.embed is not None:
        vectors = probe.embed([word, *candidates])
        meaning = (vectors[1:] @ vectors[0]).tolist()
    spelling = (SequenceMatcher(None, word, candidate).ratio() for candidate in candidates)
    scores = [
        (max(near / _SIMILAR_MEANING, like / _SIMILAR_SPELLING), candidate)
        for near, like, candidate in zip(meaning, spelling, candidates, strict=True)
    ]
    yield from (candidate for score, candidate in sorted(scores, key=lambda pair: -pair[0]) if score >= 1)


@dataclass(frozen=True, slots=True)
class OpenedPage(Wire):
    """A page that enough visitors opened."""

    url: str
    visitors: int


@dataclass(frozen=True, slots=True)
class DemandEntry(Wire):
    """A query with its counts in the log and its answer by the live index."""

    query: str
    variants: tuple[str, ...]  # other forms with the same words
    visitors: int
    searches: int
    unanswered: int  # visitors without results
    weak: int  # visitors without a close match
    clicked: int  # visitors who opened a result
    refused: int  # visitors whose question was not answered in sentences
    not_helpful: int  # visitors whom an answer in sentences did not help
    opened: tuple[OpenedPage, ...]
    current_quality: Quality  # of the live index
    nearest: tuple[NearPage, ...]
    proposal: DemandProposal | None = None


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
    refused_answers: tuple[DemandEntry, ...]
    unhelpful_answers: tuple[DemandEntry, ...]
    top: tuple[DemandEntry, ...]

    @property
    def proposals(self) -> tuple[DemandProposal, ...]:
        """The proposals of all lists, each once."""
        entries = (*self.without_results, *self.no_close_match, *self.without_click, *self.refused_answers)
        entries = (*entries, *self.unhelpful_answers, *self.top)
        return tuple({entry.proposal.text: entry.proposal for entry in entries if entry.proposal}.values())


@dataclass(frozen=True, slots=True)
class _Demand:
    """A query with its variants."""

    query: str
    variants: tuple[str, ...]
    counts: DemandCounts
    opened: tuple[OpenedPage, ...]


def demand_report(
    project: Project,
    engine: SearchEngine,
    scope: Scope,
    *,
    today: date,
    days: int,
    limit: int,
    rows: Sequence[DemandRow] | None = None,
) -> DemandReport:
    """Read the log of the last days, and run each listed query on the live index.

    Args:
        limit: Entries per list.
        rows: A log to read instead.

    Raises:
        StateUnavailable: The log cannot be read.
        SearchSocketError: As `SearchEngine.search`.
    """
    first_day = (today - timedelta(days=days - 1)).isoformat()
    rows = DemandLog(project.state_dir).rows(scope.name, first_day) if rows is None else rows
    total = next((row.counts for row in rows if not row.query), DemandCounts())
    demands = _demands(rows)
    file = project.settings.golden.file
    golden = {query.query.casefold() for query in golden_queries(project.root, file, scope.name)}
    make_entry = _EntryMaker(engine, scope, golden, golden_file(project.root, file))
    selections = (_select(is_listed, demands, total)[:limit] for is_listed in _LISTS)
    lists = [tuple(map(make_entry, selection)) for selection in selections]
    without_results, no_close_match, without_click, refused, unhelpful, top = lists
    return DemandReport(
        scope.name, first_day, today.isoformat(), project.settings.section(DemandSettings).min_visitors,
        total.visitors, total.searches, total.unanswered, total.weak, total.clicked, len(demands),
        without_results, no_close_match, without_click, refused, unhelpful, top,
    )  # fmt: skip


def _demands(rows: Iterable[DemandRow]) -> list[_Demand]:
    """Merge queries with the same words into the form that most visitors use."""
    opened: dict[str, list[OpenedPage]] = {}
    forms: dict[frozenset[str], list[DemandRow]] = {}
    for row in rows:
        if row.url:
            opened.setdefault(row.query, []).append(OpenedPage(row.url, row.counts.visitors))
        elif row.query:
            forms.setdefault(_words_of(row.query), []).append(row)
    groups = (sorted(group, key=lambda row: -row.counts.visitors) for group in forms.values())
    return _without_prefixes([_demand(group, opened) for group in groups])


def _without_prefixes(demands: Iterable[_Demand]) -> list[_Demand]:
    """Leave out incomplete words that at least as many visitors completed: a process may see only some keystrokes."""
    ordered = sorted(demands, key=lambda demand: demand.query)
    following = (ordered[at + 1 : at + 1 + _MAX_LONGER] for at in range(len(ordered)))
    return [demand for demand, longer in zip(ordered, following, strict=True) if not _is_prefix(demand, longer)]


def _is_prefix(demand: _Demand, following: Iterable[_Demand]) -> bool:
    end = len(demand.query)
    is_completed = (
        longer.counts.visitors >= demand.counts.visitors
        for longer in following
        if longer.query.startswith(demand.query) and longer.query[end].isalnum()
    )
    return any(is_completed) and not is_language(demand.query)


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
    """Return True if somebody only hit random keys: `asdf`, `xxx`."""
    return all(len(set(word)) == 1 or is_run_of_keys(word) for word in query.split())


def _is_unanswered(counts: DemandCounts) -> bool:
    return counts.unanswered >= _MOST * counts.visitors


def _is_weak(counts: DemandCounts) -> bool:
    return not _is_unanswered(counts) and counts.weak >= _MOST * counts.visitors


def _is_unclicked(counts: DemandCounts) -> bool:
    is_question = counts.refused >= _MOST * counts.visitors  # it has no results to open
    is_answered = not (_is_unanswered(counts) or _is_weak(counts) or is_question)
    return is_answered and counts.clicked < _FEW * counts.visitors


def _is_refused(counts: DemandCounts) -> bool:
    return counts.refused > 0


def _is_unhelpful(counts: DemandCounts) -> bool:
    return counts.not_helpful > 0


_LISTS = (_is_unanswered, _is_weak, _is_unclicked, _is_refused, _is_unhelpful, lambda _: True)


def _select(
    is_listed: Callable[[DemandCounts], bool],
    demands: Iterable[_Demand],
    total: DemandCounts,
) -> list[_Demand]:
    """Return the demands of a list, most visitors first; noise is last."""
    if is_listed is _is_unclicked and not total.clicked:
        return []  # the site does not report clicks
    selection = (demand for demand in demands if is_listed(demand.counts))
    return sorted(selection, key=lambda demand: (is_noise(demand.query), -demand.counts.visitors, demand.query))


class _EntryMaker:
    """Makes entries of queries, and caches them."""

    def __init__(self, engine: SearchEngine, scope: Scope, golden: set[str], file: Path | None) -> None:
        self._engine = engine
        self._scope = scope
        self._golden = golden
        self._golden_file = file
        self._reader = engine.opened(scope)
        embedder = engine.queries.embedder_of(self._reader.generation.model_id)
        self._probe = Probe(self._search, None if embedder.is_remote else self._embed)
        self._entries: dict[str, DemandEntry] = {}

    def __call__(self, demand: _Demand) -> DemandEntry:
        if demand.query not in self._entries:
            self._entries[demand.query] = self._entry(demand)
        return self._entries[demand.query]

    def _entry(self, demand: _Demand) -> DemandEntry:
        current = self._current_answer(demand.query)
        opened = demand.opened[0].url if demand.opened else ""
        is_golden = demand.query in self._golden
        visitors = demand.counts.visitors
        proposal = propose(current, opened, visitors, self._probe, self._golden_file, is_golden=is_golden)
        counts = demand.counts
        return DemandEntry(
            demand.query, demand.variants, visitors, counts.searches, counts.unanswered, counts.weak, counts.clicked,
            counts.refused, counts.not_helpful, demand.opened[:_PAGES], current.quality, current.pages, proposal,
        )  # fmt: skip

    def _search(self, query: str) -> SearchAnswer:
        return self._engine.search(SearchQuery(query, top_k=_PAGES), self._scope)

    def _embed(self, texts: Sequence[str]) -> Vectors:
        embedder = self._engine.queries.embedder_of(self._reader.generation.model_id)
        return np.asarray(embedder.embed(texts, "query"), np.float32)

    def _current_answer(self, query: str) -> CurrentAnswer:
        answer = self._search(query)
        likely = [result for result in answer.results if result.confidence >= _LEAST_CONFIDENCE] or answer.results[:1]
        pages = tuple(NearPage(result.url, result.title, result.confidence) for result in likely)
        missing = self._reader.words.evidence(query).missing
        return CurrentAnswer(query, answer.quality, pages or self._nearest(query), missing, is_noise(query))

    def _nearest(self, query: str) -> tuple[NearPage, ...]:
        """Return the nearest pages of a query without results, see `nearest_chunks`."""
        ids = nearest_chunks(self._engine.queries, self._reader, query)
        facts = self._reader.catalogue.facts(ids)
        pages = dict(zip(facts.url, facts.title, strict=True))
        return tuple(NearPage(url, title, None) for url, title in list(pages.items())[:_PAGES])
