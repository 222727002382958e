"""Answer a question in sentences: retrieve passages, reserve the cost within the limits, and ask the model."""

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cached_property

from searchsocket import __version__
from searchsocket.backends import Backends
from searchsocket.errors import ConfigError, ModelUnavailable, ScopeNotIndexed, ScopeRefused, SearchSocketError
from searchsocket.extensions.answers.answer import (
    AnswerEnd,
    AnswerPassages,
    AnswerSource,
    Event,
    NearestPage,
    TokenCounts,
)
from searchsocket.extensions.answers.model import Message, Model, Prices, Reply, Usage, is_local, make_model, prices_of
from searchsocket.extensions.answers.settings import AnswersSettings
from searchsocket.extensions.answers.writing import Turn, Writing, messages_for, refusal_event, shown_text
from searchsocket.models.calling.provider import ProviderFailure
from searchsocket.models.paying.cost import estimate_tokens
from searchsocket.models.paying.ledger import Ledger
from searchsocket.project.project import Project
from searchsocket.search.answering.answer import AnswerPassage, AskQuery, pages_query
from searchsocket.search.bounds import MAX_PASSAGES, MAX_QUERY_CHARS
from searchsocket.search.candidates import nearest_chunks
from searchsocket.search.content.answer import href_of
from searchsocket.search.query import clean_text
from searchsocket.serving.capabilities.base import Caller
from searchsocket.serving.content import ContentService
from searchsocket.serving.service import OnError
from searchsocket.system.breaker import Breaker
from searchsocket.text.redaction import MARK

MAX_ANSWERS = 8  # written at once by this process
MAX_TRUSTED = 4  # of all callers with the key
_MAX_LEFT = 3  # of one visitor, with those that the visitor no longer waits for
_MAX_VISITORS = 50_000  # remembered at once; the least recent one is forgotten first

_NEAREST = 3
_MAX_CACHED = 500  # answers; a few megabytes
_COMPLETE = ("stop", "length")  # how a reply ends that the model did not refuse
_ALL_PAGES = AskQuery("")


class Spending:
    """Costs of answers; safe to share between threads.

    Args:
        month_usd: Limit of the ledger's total per month; None = no limit.
        visitor_day_usd: Limit per anonymous address and day (UTC) of this process; 0 = no limit.
    """

    def __init__(
        self,
        prices: Prices,
        ledger: Ledger,
        *,
        month_usd: float | None,
        visitor_day_usd: float,
        clock: Callable[[], datetime],
        on_error: Callable[[BaseException], None],
    ) -> None:
        self.prices = prices
        self._ledger = ledger
        self._month_usd = month_usd
        self._visitor_day_usd = visitor_day_usd
        self._clock = clock
        self._on_error = on_error
        self._lock = threading.Lock()
        self._day: date | None = None
        self._visitors: OrderedDict[str, float] = OrderedDict()  # address -> US dollars of today

    def reserve(self, caller: Caller, usage: Usage) -> bool:
        """Reserve the highest cost of an answer; return False if a limit forbids it."""
        cost = self.prices.cost_usd(usage)
        is_forbidden = self._ledger.forbids(cost, self._month_usd, self._on_error)
        return not cost or (not is_forbidden and self._take(caller, cost, can_refuse=True))

    def settle(self, caller: Caller, reserved: Usage, used: Usage, model: str) -> None:
        """Replace a reservation by the real cost, and record that in the ledger."""
        cost = self.prices.cost_usd(used)
        self._take(caller, cost - self.prices.cost_usd(reserved), can_refuse=False)
        if not cost:
            return
        try:
            self._ledger.add("answers", model, tokens=used.prompt + used.completion, cost_usd=cost)
        except SearchSocketError as error:  # the answer is shown anyway
            self._on_error(error)

    def _take(self, caller: Caller, cost_usd: float, *, can_refuse: bool) -> bool:
        if caller.trusted or not self._visitor_day_usd:
            return True
        with self._lock:
            if (today := self._clock().date()) != self._day:
                self._day = today
                self._visitors.clear()
            spent = self._visitors.get(caller.address, 0.0) + cost_usd
            if can_refuse and spent > self._visitor_day_usd:
                return False
            self._visitors[caller.address] = max(spent, 0.0)
            self._visitors.move_to_end(caller.address)
            while len(self._visitors) > _MAX_VISITORS:
                self._visitors.popitem(last=False)
            return True


class Turns:
    """Answers at once: one per visitor, and not too many in all."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: list[tuple[str, threading.Event]] = []

    @contextmanager
    def turn(self, caller: Caller, left: threading.Event) -> Iterator[bool]:
        """Take a turn for the block; False if the caller has none.

        Args:
            left: Is set when the caller stops waiting; a new question need not wait for the end of this block then.
        """
        name = "" if caller.trusted else f"visitor {caller.address}"
        turn = name, left
        with self._lock:
            own = [each for owner, each in self._running if owner == name]
            waiting = sum(not each.is_set() for each in own)
            most, most_waiting = (MAX_ANSWERS, MAX_TRUSTED) if caller.trusted else (_MAX_LEFT, 1)
            is_free = waiting < most_waiting and len(own) < most and len(self._running) < MAX_ANSWERS
            if is_free:
                self._running.append(turn)
        try:
            yield is_free
        finally:
            if is_free:
                with self._lock:
                    self._running = [each for each in self._running if each is not turn]


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and where to look for its answer."""

    text: str
    history: Sequence[Turn] = ()
    scope: str | None = None
    pages: AskQuery = _ALL_PAGES  # conditions on them


@dataclass(frozen=True, slots=True)
class Estimate:
    """The highest cost of an answer."""

    passages: tuple[AnswerSource, ...]
    usage: Usage
    cost_usd: float


class Answers:
    """Answers questions over one project; safe to share between threads.

    Args:
        make: Creates the model; called at the first question.
    """

    def __init__(
        self,
        project: Project,
        environ: Mapping[str, str],
        content: Callable[[], ContentService],
        *,
        clock: Callable[[], datetime],
        on_error: OnError,
        make: Callable[[AnswersSettings, Mapping[str, str]], Model] = make_model,
    ) -> None:
        """
        Raises:
            ConfigError: `answers.base_url` or `answers.model` is missing, or the prices of the model are unknown.
        """
        settings = project.settings.section(AnswersSettings)
        for name in ("base_url", "model"):
            if not getattr(settings, name):
                raise ConfigError(f"answers need a language model; set answers.{name}")
        backends = Backends(project, environ, clock=clock, on_error=on_error)
        self.project = project
        self.settings = settings
        self.spending = Spending(
            prices_of(settings),
            backends.ledger,
            month_usd=project.settings.costs.budget.month_usd,
            visitor_day_usd=settings.anonymous_per_day_usd,
            clock=clock,
            on_error=on_error,
        )
        self._environ = backends.environ
        self._content = content
        self._on_error = on_error
        self._make = make
        self._redact = backends.redactor or (lambda text: text)
        self._turns = Turns()
        self._cache = _Cache()
        self._breaker = Breaker(max_failures=3, pause_s=10.0)

    @cached_property
    def model(self) -> Model:
        """The configured model; raises as `make_model`."""
        return self._make(self.settings, self._environ)

    def estimate(self, question: Question, caller: Caller) -> Estimate:
        """Return the highest cost of an answer, without calling the model; raises as `events`."""
        passages = self._retrieve(question, caller)
        usage = self._most(self._messages(question, passages)) if passages else Usage(0, 0)
        return Estimate(tuple(passages), usage, self.spending.prices.cost_usd(usage))

    def key(self, question: Question, caller: Caller) -> str:
        """Return a digest of all that an answer depends on, "" if no passage answers; raises as `events`."""
        passages = self._retrieve(question, caller)
        return self._key(self._messages(question, passages), passages).hex() if passages else ""

    def events(self, question: Question, caller: Caller, left: threading.Event | None = None) -> Generator[Event]:
        """Yield the events of an answer; the last one is `done` or `refused`. Closing it ends the request.

        Args:
            left: Is set when the caller no longer waits, even while this waits for the model.

        Raises:
            InvalidRequest: The question is empty or too long.
            ScopeRefused: The caller may not ask, or not in this scope.
            SearchSocketError: The index cannot be read.
        """
        if not (caller.trusted or self.settings.public):
            raise ScopeRefused("answers need the key")
        question = replace(
            question, history=tuple(question.history)[-self.settings.history :] if self.settings.history else ()
        )
        passages = self._retrieve(question, caller)
        if not passages:
            yield refusal_event("not_covered", self._nearest(question, caller))
            return
        yield Event("passages", AnswerPassages(tuple(passages)))
        pages = _pages_of(passages)
        messages = self._messages(question, passages)
        key = self._key(messages, passages)
        if cached := self._cache.get(key):
            yield from map(_as_cached, cached)
            return
        with self._turns.turn(caller, left or threading.Event()) as is_free:
            if not is_free:
                yield refusal_event("busy", pages)
                return
            most = self._most(messages)
            if not self.spending.reserve(caller, most):
                yield refusal_event("budget", pages)
                return
            sent: list[Event] = []
            is_complete = yield from self._write(messages, Writing(passages, pages), most, caller, sent)
            if is_complete:
                self._cache.put(key, sent)

    def _write(
        self, messages: Sequence[Message], writing: Writing, most: Usage, caller: Caller, sent: list[Event]
    ) -> Generator[Event, None, bool]:
        """Yield the events of a new answer and append them to `sent`; return True if it may be cached."""
        reply: Reply | None = None
        try:
            if self._breaker.lets_through():
                reply = self.model.reply(messages)
                for event in writing.read(reply):
                    sent.append(event)
                    yield event
                self._breaker.succeeded()
        except ProviderFailure as failure:
            refusal = failure.refusal
            self._breaker.failed(for_s=refusal.retry_after_s, lasting=not refusal.is_transient)
            self._on_error(ModelUnavailable(refusal.advice))
            is_failed = True
        except SearchSocketError as error:  # the library or the key is missing
            self._on_error(error)
            is_failed = True
        else:
            is_failed = reply is None or reply.finish not in _COMPLETE
        finally:
            self.spending.settle(caller, most, reply.usage if reply else Usage(0, 0), self.settings.model)
        sent.append(writing.end(reply.usage if reply else Usage(0, 0), is_failed=is_failed))
        yield sent[-1]
        return not is_failed

    def _messages(self, question: Question, passages: Sequence[AnswerSource]) -> list[Message]:
        return messages_for(question.text, passages, question.history, self.settings.instructions, self._redact)

    def _most(self, messages: Sequence[Message]) -> Usage:
        prompt = sum(estimate_tokens(message["content"]) for message in messages)
        return Usage(prompt, self.settings.max_output_tokens)

    def _key(self, messages: Sequence[Message], passages: Sequence[AnswerSource]) -> bytes:
        """The same question with the same passages, settings and model has the same answer."""
        urls = [each.url for each in passages]
        parts = json.dumps([__version__, repr(self.settings), list(map(dict, messages)), urls])
        return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).digest()

    def _retrieve(self, question: Question, caller: Caller) -> list[AnswerSource]:
        """Return the passages that answer, those of the question itself first; a follow-up may need its predecessor."""
        text = self._searchable(question.text)
        texts = [text]
        if question.history:
            texts.append(f"{self._searchable(question.history[-1].question)} {text}"[:MAX_QUERY_CHARS])
        found: dict[tuple[str, str], AnswerPassage] = {}
        room = self.settings.max_passage_tokens
        for text in texts:
            query = replace(
                question.pages,
                question=text,
                limit=MAX_PASSAGES,
                max_tokens=self.settings.max_passage_tokens,
                languages=self.settings.languages,
            )
            answer = self._content().ask(query, question.scope, trusted=caller.trusted)
            for passage in answer.passages:
                room -= estimate_tokens(passage.text)
                if len(found) < MAX_PASSAGES and (room >= 0 or not found):
                    found.setdefault((passage.file_path, passage.text), passage)
        prepare = (lambda text: text) if is_local(self.settings.base_url) else self._redact
        return [_source(number, passage, prepare) for number, passage in enumerate(found.values(), start=1)]

    def _searchable(self, text: str) -> str:
        """Return a question without secrets, which no page contains; raises `InvalidRequest` if it is empty."""
        return clean_text(self._redact(text).replace(MARK, " "))

    def _nearest(self, question: Question, caller: Caller) -> tuple[NearestPage, ...]:
        """Return the pages nearest to a question that no page answers; none of a project with source code only."""
        try:
            return self._near_pages(question, caller)
        except ScopeNotIndexed:
            return ()

    def _near_pages(self, question: Question, caller: Caller) -> tuple[NearestPage, ...]:
        service = self._content().service
        scope = service.scopes.find(question.scope, trusted=caller.trusted)
        text = self._searchable(question.text)
        query = pages_query(replace(question.pages, question=text), _NEAREST)
        results = service.search(query, scope, anonymous=not caller.trusted).results
        if results or question.pages.is_about_pages:
            return tuple(NearestPage(result.title, result.href) for result in results)
        engine = service.engine
        reader, rules = engine.opened(scope), engine.curation.matching(text)
        ids = nearest_chunks(engine.queries, reader, question.text, anonymous=not caller.trusted, rules=rules)
        records = (readable.record for readable in reader.catalogue.readable(ids))
        pages = {record.page.url: NearestPage(record.page.title, href_of(record) or "") for record in records}
        return tuple(pages.values())[:_NEAREST]


class _Cache:
    """The latest complete answers; safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers: OrderedDict[bytes, list[Event]] = OrderedDict()

    def get(self, key: bytes) -> list[Event] | None:
        with self._lock:
            if key in self._answers:
                self._answers.move_to_end(key)
            return self._answers.get(key)

    def put(self, key: bytes, events: list[Event]) -> None:
        with self._lock:
            self._answers[key] = events
            while len(self._answers) > _MAX_CACHED:
                self._answers.popitem(last=False)


def _source(number: int, passage: AnswerPassage, prepare: Callable[[str], str]) -> AnswerSource:
    title = passage.title if passage.href else passage.file_path
    section = passage.section_title if passage.section_title != title else ""
    text = prepare(shown_text(passage.text))
    return AnswerSource(number, shown_text(title), shown_text(section), passage.href or "", text)


def _pages_of(passages: Sequence[AnswerSource]) -> tuple[NearestPage, ...]:
    pages = {passage.url.partition("#")[0]: NearestPage(passage.title, passage.url) for passage in reversed(passages)}
    return tuple(reversed([page for url, page in pages.items() if url]))[:_NEAREST]


def _as_cached(event: Event) -> Event:
    if not isinstance(event.data, AnswerEnd):
        return event
    return event._replace(data=replace(event.data, cached=True, tokens=TokenCounts()))
