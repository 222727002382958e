"""Choose where a query runs: in the event loop, in a thread, or in the queue of costly queries."""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool

from search_api.gate.costly import COSTLY, CostlyQueries
from searchsocket.search.wire import Wire
from searchsocket.serving.capabilities.base import Caller, Capability, Request, Services

T = TypeVar("T")
A = TypeVar("A", bound=Wire)


class Queries:
    """Runs capabilities so that no caller waits for another; to be used from one event loop."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self._costly = CostlyQueries()

    async def run(self, capability: Capability[Any, A], request: Request, caller: Caller) -> A:
        """Answer a request; raises as the capability."""
        work = partial(capability.run, self.services, request, caller)
        cost = capability.cost(self.services, request, caller)
        if cost <= COSTLY and capability.is_instant(self.services, request, caller):
            return work()  # a thread takes a fifth as long as the query
        return await self.run_at(cost, work, caller)

    async def run_at(self, cost: float, work: Callable[[], T], caller: Caller) -> T:
        """Do work that costs as much as a number of plain searches."""
        return await (self._costly.run(caller, work) if cost > COSTLY else run_in_threadpool(work))
