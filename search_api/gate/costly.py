"""Queries that cost as much as several plain ones wait for each other, and for nobody else."""

from collections import Counter
from collections.abc import Callable
from typing import TypeVar

from anyio import CapacityLimiter, to_thread

from searchsocket.errors import Busy
from searchsocket.serving.capabilities.base import Caller

COSTLY = 3.0  # plain queries; what costs more is run here
_THREADS = 1  # Python runs one at a time anyway, and others get the rest
_MAX_WAITING = 16
_MAX_A_CLIENT, _MAX_TRUSTED = 1, 4

T = TypeVar("T")


class CostlyQueries:
    """A few of them at a time, one a client; to be used from one event loop."""

    def __init__(self) -> None:
        self._limiter = CapacityLimiter(_THREADS)
        self._clients: Counter[tuple[bool, str]] = Counter()  # those that are answered or wait, by who asks

    async def run(self, caller: Caller, work: Callable[[], T]) -> T:
        """Do the work in a thread.

        Raises:
            Busy: The caller's last one is not answered yet, or too many wait.
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
                del self._clients[client]  # callers choose how many they are
