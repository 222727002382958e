"""Choose where a query runs: in the event loop, in a thread, or in the queue of costly queries."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from starlette.concurrency import run_in_threadpool

from search_api.gate.costly import COSTLY, CostlyQueries
from search_api.gate.tiers import Caller
from searchsocket.search.answer import RelatedAnswer, SearchAnswer
from searchsocket.search.cost import related_cost
from searchsocket.search.occurrences.answer import FindAnswer, FindQuery
from searchsocket.search.query import SearchQuery
from searchsocket.serving.parts import Part, related_part, search_part
from searchsocket.serving.service import SearchService

T = TypeVar("T")


class Queries:
    """Asks the service for callers, so that none waits for another's; to be used from one event loop."""

    def __init__(self, service: SearchService) -> None:
        self._service = service
        self._costly = CostlyQueries()

    async def search(
        self, query: SearchQuery, scope: str | None, caller: Caller, part: Part | None = None
    ) -> SearchAnswer:
        """See `SearchService.search`, and `search_part` where a part of the answer is asked for."""
        service = self._service
        wanted = service.scopes.find(scope, trusted=caller.trusted)
        work = partial(service.search, query, wanted, anonymous=not caller.trusted)
        if part:
            work = partial(search_part, service, query, part, wanted, anonymous=not caller.trusted)
        # A word to go on with may be of a costlier query than the one that it is sent with.
        if service.engine.cost(query, wanted) > COSTLY or (part and part.token):
            return await self._costly.run(caller, work)
        if not query.rerank and service.engine.answers_at_once(wanted):
            return work()  # a thread there and back takes a fifth as long as the query
        return await run_in_threadpool(work)

    async def find(self, query: FindQuery, scope: str | None, caller: Caller) -> FindAnswer:
        """See `SearchService.find`: how many pages are read is not known before, so each is taken for a costly one."""
        wanted = self._service.scopes.find(scope, trusted=caller.trusted)
        return await self._costly.run(caller, partial(self._service.find, query, wanted))

    async def costly(self, work: Callable[[], T], caller: Caller) -> T:
        """Work of which it is not known before how much it reads."""
        return await self._costly.run(caller, work)

    async def related(
        self, url: str, top_k: int, scope: str | None, caller: Caller, part: Part | None = None
    ) -> RelatedAnswer:
        """See `SearchService.related`, and `related_part` where a part of the answer is asked for."""
        wanted = self._service.scopes.find(scope, trusted=caller.trusted)
        work = partial(self._service.related, url, wanted, top_k)
        if part:
            work = partial(related_part, self._service, url, top_k, part, wanted)
        if related_cost(top_k) > COSTLY:
            return await self._costly.run(caller, work)
        return await run_in_threadpool(work)
