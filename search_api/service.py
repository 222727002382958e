"""What the endpoints share: the engine, and which scopes whom are open."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from starlette.concurrency import run_in_threadpool

from search_api.errors import ScopeRefused, public_message
from search_api.gate.costly import COSTLY, CostlyQueries
from search_api.gate.tiers import Caller
from search_api.pages import FoundPage, find_page
from search_api.recent import Recent
from search_api.schemas import HealthResponse, ScopeHealth
from searchsocket.embedders.base import Embedder
from searchsocket.errors import SearchSocketError
from searchsocket.project.project import Project
from searchsocket.search.answer import RelatedAnswer, SearchAnswer
from searchsocket.search.cost import related_cost
from searchsocket.search.engine import SearchEngine
from searchsocket.search.query import SearchQuery
from searchsocket.search.quoting.results import age_s
from searchsocket.stores.base import VectorStore
from searchsocket.types import Generation, Scope

_FEW_SCOPES = 8  # whose health is read each time that it is asked for
_HEALTH_S = 1.0


@dataclass(frozen=True, slots=True)
class Service:
    """One project's search; safe to share between threads."""

    project: Project
    store: VectorStore
    embedder: Embedder
    engine: SearchEngine
    environ: Mapping[str, str]
    public: tuple[str, ...]  # names of the scopes that anyone may read; the first is the default
    clock: Callable[[], datetime]
    on_error: Callable[[BaseException], None] = field(default=lambda _: None)
    costly: CostlyQueries = field(default_factory=CostlyQueries)
    recent_health: Recent[tuple[ScopeHealth, ...]] = field(default_factory=lambda: Recent(_HEALTH_S))

    def scope_for(self, name: str | None, caller: Caller) -> Scope:
        """The scope that is asked for: a final name, or a branch name.

        Raises:
            InvalidScope: The name cannot be one, or is not one that this caller may read.
        """
        if name is None:
            return self.project.scope_named(self.public[0])
        if not caller.trusted and name in self.public:
            return self.project.scope_named(name)
        scope = self.project.scope(self.environ, name)
        if not caller.trusted and scope.name not in self.public:
            raise ScopeRefused(f"scope {name[:80]!r} cannot be read without a key")
        return scope

    async def search(self, query: SearchQuery, scope: str | None, caller: Caller) -> SearchAnswer:
        """See `SearchEngine.search`."""
        wanted = self.scope_for(scope, caller)
        if self.engine.cost(query, wanted) > COSTLY:
            return await self.costly.run(caller, partial(self.engine.search, query, wanted))
        if self.engine.answers_at_once(wanted):
            return self.engine.search(query, wanted)  # a thread there and back takes a fifth as long as the query
        return await run_in_threadpool(self.engine.search, query, wanted)

    async def related(self, url: str, top_k: int, scope: str | None, caller: Caller) -> RelatedAnswer:
        """See `SearchEngine.related`."""
        work = partial(self.engine.related, url, self.scope_for(scope, caller), top_k)
        if related_cost(top_k) > COSTLY:
            return await self.costly.run(caller, work)
        return await run_in_threadpool(work)

    def page(self, path: str, scope: str | None, caller: Caller) -> FoundPage:
        """See `find_page`."""
        wanted = self.scope_for(scope, caller)
        return find_page(path, self.store.reader(wanted))

    def warm_up(self) -> None:
        """Open the index and load the model, so that the first caller does not wait for it."""
        for name in self.public:
            scope = self.project.scope_named(name)
            try:
                self.engine.search(SearchQuery("search"), scope)
            except SearchSocketError as error:  # the service starts all the same: `ready` tells
                self.on_error(error)

    def refresh(self) -> None:
        """Turn to what was published meanwhile, and tell what cannot be used; for every minute."""
        for error in self.store.refresh():
            self.on_error(error)

    def health(self, caller: Caller) -> HealthResponse:
        """Whether queries are answered; a caller without a key learns of public scopes only."""
        known = {scope.scope: scope for scope in self._public_health(caller)}
        ready = all(scope.ready for scope in known.values())
        if not caller.trusted:
            return HealthResponse(live=True, ready=ready, scopes=list(known.values()))
        try:
            for generation in self.store.list_scopes():
                known.setdefault(generation.scope, self._generation_health(generation))
            backend = self.store.health()
        except SearchSocketError as error:
            return HealthResponse(live=True, ready=False, scopes=list(known.values()), backend=error.code)
        details = backend.details or ("ok" if backend.ok else "not ok")
        return HealthResponse(live=True, ready=ready and backend.ok, scopes=list(known.values()), backend=details)

    def _public_health(self, caller: Caller) -> tuple[ScopeHealth, ...]:
        """Of the public scopes: for strangers, those of a moment ago where they are many, so that it costs no more than
        a query.
        """

        def read() -> tuple[ScopeHealth, ...]:
            return tuple(self._scope_health(name, caller) for name in self.public)

        fresh = caller.trusted or len(self.public) <= _FEW_SCOPES
        return read() if fresh else self.recent_health.get(read)

    def _scope_health(self, name: str, caller: Caller) -> ScopeHealth:
        try:
            answering = self.store.answering(self.project.scope_named(name))
        except SearchSocketError as error:
            self.on_error(error)
            return ScopeHealth(scope=name, ready=False)
        return self._generation_health(answering.generation, _words(answering.trouble, caller))

    def _generation_health(self, generation: Generation, degraded: str | None = None) -> ScopeHealth:
        return ScopeHealth(
            degraded=degraded,
            scope=generation.scope,
            ready=generation.model_id == self.embedder.model_id,
            generation=generation.name,
            published_at=generation.published_at,
            age_seconds=age_s(generation.published_at, self.clock()),
            records=generation.records,
            pages=generation.pages,
            model_id=generation.model_id,
        )


def _words(trouble: SearchSocketError | None, caller: Caller) -> str | None:
    """Why an older generation answers, in words that this caller may read."""
    if trouble is None:
        return None
    said = str(trouble) if caller.trusted else public_message(trouble)
    return f"an older generation answers, because the newest cannot be used: {said}"


def public_scopes(project: Project, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Names of the scopes that anyone may read, the default first: `api.scopes`, else the resolved scope alone.

    Raises:
        InvalidScope, ConfigMissing: No scope can be resolved.
    """
    listed = tuple(dict.fromkeys(project.scope(environ, name).name for name in project.settings.api.scopes))
    try:
        own = project.scope(environ).name
    except SearchSocketError:
        if listed:
            return listed
        raise
    if not listed:
        return (own,)
    return (own, *(name for name in listed if name != own)) if own in listed else listed
