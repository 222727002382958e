"""Choose where a query runs: in the event loop, in a thread, or in the queue of costly queries."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from anyio import CapacityLimiter, to_thread
from starlette.concurrency import run_in_threadpool

from searchsocket.errors import Busy
from searchsocket.serving.capabilities.base import A, Caller, Capability, R, Services

T = TypeVar("T")

COSTLY = 3.0  # plain queries; costlier work runs in the queue
_THREADS = 1  # Python runs one thread at a time anyway; plain queries get the remaining time
_MAX_WAITING = 16
_MAX_A_CLIENT, _MAX_TRUSTED = 1, 4


class CostlyQueries:
    """Queue of costly queries, with a limit per client; use it from one event loop."""

    def __init__(self) -> None:
        self._limiter = CapacityLimiter(_THREADS)
        self._clients: Counter[tuple[bool, str]] = Counter()  # running and waiting queries, by caller

    async def run(self, caller: Caller, work: Callable[[], T]) -> T:
        """Run the work in a thread.

        Raises:
            Busy: The caller's previous query is still running, or too many queries wait.
        """
        client = caller.trusted, caller.address
        if self._clients[client] >= (_MAX_TRUSTED if caller.trusted else _MAX_A_CLIENT):
            raise Busy("your previous expensive query is still running; try again")
        if self._clients.total() >= _MAX_WAITING:
            raise Busy("too many expensive queries are waiting; try again later, or request fewer results or words")
        self._clients[client] += 1
        try:
            return await to_thread.run_sync(work, limiter=self._limiter)
        finally:
            self._clients[client] -= 1
            if not self._clients[client]:
                del self._clients[client]  # one caller may use any number of addresses


class Queries:
    """Runs capabilities so that no caller waits for another; use it from one event loop."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self._costly = CostlyQueries()

    async def run(self, capability: Capability[R, A], request: R, caller: Caller) -> A:
        """Answer a request; raises as the capability."""
        work = partial(capability.run, self.services, request, caller)
        cost = capability.cost(self.services, request, caller)
        if cost <= COSTLY and capability.is_instant(self.services, request, caller):
            return work()  # a thread would add a fifth of the query's time
        return await self.run_at(cost, work, caller)

    async def run_at(self, cost: float, work: Callable[[], T], caller: Caller) -> T:
        """Run work whose cost is given in plain searches."""
        return await (self._costly.run(caller, work) if cost > COSTLY else run_in_threadpool(work))
