"""Waiting for a call only so long, whatever the client of a vendor makes of its own limits."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")
THREAD_NAME = "vector-backend"
_MAX_UNDER_WAY = 32  # calls that are not answered yet; beyond it nobody begins to wait


class TimeLimit:
    """Runs calls in threads of their own; safe to share between threads."""

    def __init__(self) -> None:
        self._free = threading.BoundedSemaphore(_MAX_UNDER_WAY)

    def call(self, work: Callable[[], T], timeout_s: float) -> T:
        """Return or raise the result of `work`; after the timeout the work continues in the background.

        Raises:
            TimeoutError: It took longer, or too many calls are under way.
        """
        if not self._free.acquire(blocking=False):
            raise TimeoutError
        call: Future[T] = Future()
        # A daemon, so that a server that never answers keeps no process alive.
        threading.Thread(target=self._run, args=(work, call), name=THREAD_NAME, daemon=True).start()
        return call.result(timeout_s)

    def _run(self, work: Callable[[], Any], call: Future[Any]) -> None:
        try:
            call.set_result(work())
        except BaseException as error:  # noqa: BLE001  (handed to whoever waits)
            call.set_exception(error)
        finally:
            self._free.release()
