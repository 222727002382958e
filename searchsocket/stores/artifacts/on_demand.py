"""Load a scope when it is first searched: one at a time per project, with a deadline for the callers that wait."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotDone
from typing import TypeVar

from searchsocket.errors import IndexLoading
from searchsocket.stores.artifacts.pulled_files import PulledFiles

T = TypeVar("T")

DEADLINE_S = 10.0
MAX_WAITERS = 16  # threads of all projects that wait for a scope; the rest answers queries


class Waiters:
    """Bound of the requests that wait for a scope, shared by all projects of a service."""

    def __init__(self, most: int = MAX_WAITERS) -> None:
        self.slots = threading.BoundedSemaphore(most)


class OnDemand:
    """Loads the scopes of one project; safe to share between threads."""

    def __init__(self, files: PulledFiles, waiters: Waiters, deadline_s: float = DEADLINE_S) -> None:
        self.files = files
        self._waiters = waiters
        self._deadline_s = deadline_s
        self._pool = ThreadPoolExecutor(1, "load-scope")
        self._lock = threading.Lock()
        self._loading: dict[str, Future[object]] = {}  # by scope

    def run(self, scope: str, load: Callable[[], T]) -> T:
        """Load a scope, or wait for the caller that loads it; loading continues after the deadline.

        Raises:
            IndexLoading: It takes longer, or too many requests wait.
        """
        with self._lock:
            future = self._loading.get(scope)
            if future is None:
                future = self._loading[scope] = self._pool.submit(load)
                future.add_done_callback(lambda _: self._loading.pop(scope, None))
        if not self._waiters.slots.acquire(blocking=False):
            raise self._still_loading(scope)
        try:
            return future.result(self._deadline_s)  # type: ignore[return-value]
        except NotDone:
            raise self._still_loading(scope) from None
        finally:
            self._waiters.slots.release()

    def close(self) -> None:
        """End after the scope that is being loaded."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _still_loading(self, scope: str) -> IndexLoading:
        return IndexLoading(
            f"the index of scope {scope!r} is being loaded; try again in {IndexLoading.retry_after_s} s"
        )
