"""Record the searches of a service: queues them in microseconds, and counts and stores them in its own thread."""

import queue
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, date, datetime

from searchsocket.demand.log import DemandLog
from searchsocket.demand.tally import TYPING_S, DemandRow, SearchEvent, Tally
from searchsocket.errors import SearchSocketError

STORE_EVERY_S = 60.0
_MAX_WAITING = 10_000  # events in the queue; further ones are dropped, so that a request never waits


class DemandRecorder:
    """Records the demand of one project in this process; any thread may call it.

    Args:
        min_visitors: The text of a query is stored once this number of visitors searched for it in one day.
        keep_days: Age at which days are deleted.
        clock: Returns the time, UTC.
        on_error: Called for errors that prevent storing.
    """

    def __init__(
        self,
        log: DemandLog,
        min_visitors: int,
        keep_days: int,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        on_error: Callable[[BaseException], None] = lambda _: None,
    ) -> None:
        self._log = log
        self._min_visitors = min_visitors
        self._keep_days = keep_days
        self._clock = clock
        self._on_error = on_error
        self._waiting: queue.Queue[SearchEvent | None] = queue.Queue(_MAX_WAITING)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._tally = Tally("", min_visitors)
        self._unstored: list[DemandRow] = []

    def note(self, event: SearchEvent) -> None:
        """Queue an event; the first one starts the thread."""
        with suppress(queue.Full):
            self._waiting.put_nowait(event)
        if self._thread is None:
            with self._lock:
                if self._thread is None:
                    self._thread = threading.Thread(target=self._run, name="demand", daemon=True)
                    self._thread.start()

    def close(self) -> None:
        """Store all events that may be stored, and end the thread; the next event starts a new thread."""
        with self._lock:
            if self._thread is not None:
                self._waiting.put(None)
                self._thread.join()
                self._thread = None

    def _run(self) -> None:
        stored_s = time.monotonic()
        while True:
            try:
                event = self._waiting.get(timeout=STORE_EVERY_S)
            except queue.Empty:
                pass
            else:
                if event is None:
                    self._tally.settle()
                    self._store()
                    return
                self._turn_to(self._clock().astimezone(UTC).date())
                self._tally.note(event, time.monotonic())
            if time.monotonic() >= stored_s + STORE_EVERY_S:
                self._tally.settle(time.monotonic() - TYPING_S)
                self._store()
                stored_s = time.monotonic()

    def _turn_to(self, today: date) -> None:
        """Start a new day with a new key, so that its visitors cannot be linked to those of the previous day."""
        if self._tally.day == today.isoformat():
            return
        self._tally.settle()
        self._store()
        self._tally = Tally(today.isoformat(), self._min_visitors)
        try:
            self._log.delete_old(today, self._keep_days)
        except SearchSocketError as error:
            self._on_error(error)

    def _store(self) -> None:
        rows = [*self._unstored, *self._tally.rows()]
        try:
            self._log.add(rows)
            self._unstored = []
        except SearchSocketError as error:
            self._unstored = rows[-_MAX_WAITING:]
            self._on_error(error)
