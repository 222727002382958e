"""Demand log of a project, one SQLite file that any number of processes may write, and the recorder of a service.

A row is only written once enough visitors share it. The log has no times, only days. The recorder queues searches in
microseconds, and counts and stores them in its own thread.
"""

import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from searchsocket.errors import SearchSocketError, StateUnavailable
from searchsocket.extensions.demand.tally import TYPING_S, DemandCounts, DemandRow, SearchEvent, Tally
from searchsocket.system.errors import client_error, refuse_link
from searchsocket.system.files import make_private_folder, share

FILE = "demand.db"
MAX_ROWS = 200_000  # about 20 MB; above it the oldest days are deleted
_BUSY_TIMEOUT_S = 30.0
STORE_EVERY_S = 60.0
_MAX_WAITING = 10_000  # events in the queue; further ones are dropped, so that a request never waits
_COUNTS = tuple(DemandCounts.__slots__)
_TABLE = (
    "CREATE TABLE IF NOT EXISTS demand (day TEXT, scope TEXT, query TEXT, url TEXT, "
    f"{', '.join(f'{name} INTEGER NOT NULL' for name in _COUNTS)}, PRIMARY KEY (day, scope, query, url)) WITHOUT ROWID"
)
_ADD = f"INSERT INTO demand VALUES (?, ?, ?, ?{', ?' * len(_COUNTS)}) ON CONFLICT DO UPDATE SET " + ", ".join(
    f"{name} = {name} + excluded.{name}" for name in _COUNTS
)


class DemandLog:
    """The log in a state folder, opened on use; safe to share between threads and processes."""

    def __init__(self, state_dir: Path) -> None:
        self.path = state_dir / FILE

    def add(self, rows: Sequence[DemandRow]) -> None:
        """Add counts to the stored ones, in one transaction.

        Raises:
            StateUnavailable: The file cannot be written.
        """
        if not rows:
            return
        with self._open() as db:
            db.executemany(_ADD, (_values(row) for row in rows))

    def delete_old(self, today: date, keep_days: int) -> None:
        """Delete days older than `keep_days`, and the oldest days above `MAX_ROWS`.

        Raises:
            StateUnavailable: The file cannot be written.
        """
        if not self.path.exists():
            return
        with self._open() as db:
            db.execute("DELETE FROM demand WHERE day <= ?", ((today - timedelta(days=keep_days)).isoformat(),))
            row = db.execute("SELECT day FROM demand ORDER BY day DESC LIMIT 1 OFFSET ?", (MAX_ROWS,)).fetchone()
            if row:
                db.execute("DELETE FROM demand WHERE day <= ?", row)

    def rows(self, scope: str, first_day: str) -> list[DemandRow]:
        """Return the rows of a scope since a day, summed over days; `day` is the last one. Never creates the file.

        Raises:
            StateUnavailable: The file cannot be read.
        """
        if not self.path.exists():
            return []
        sums = ", ".join(f"SUM({name})" for name in _COUNTS)
        with self._open() as db:
            rows = db.execute(
                f"SELECT MAX(day), query, url, {sums} FROM demand WHERE scope = ? AND day >= ? "
                "GROUP BY query, url ORDER BY query, url",
                (scope, first_day),
            ).fetchall()
        return [DemandRow(day, scope, DemandCounts(*counts), query, url) for day, query, url, *counts in rows]

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            make_private_folder(self.path.parent)
            refuse_link(self.path)
            with closing(sqlite3.connect(self.path, timeout=_BUSY_TIMEOUT_S)) as db:
                db.execute("PRAGMA journal_mode = WAL")
                db.execute(_TABLE)
                _add_columns(db)
                share(self.path)
                with db:
                    yield db
        except (sqlite3.Error, OSError) as error:
            if isinstance(error, sqlite3.DatabaseError) and "not a database" in str(error):
                raise StateUnavailable(f"{self.path} is damaged; rename it to start a new demand log") from error
            raise client_error("cannot use the demand log", self.path, error) from error


def _add_columns(db: sqlite3.Connection) -> None:
    """Add the counts that a log of an earlier release lacks."""
    known = {row[1] for row in db.execute("PRAGMA table_info(demand)")}
    for name in _COUNTS:
        if name not in known:
            with suppress(sqlite3.OperationalError):  # another process was faster
                db.execute(f"ALTER TABLE demand ADD COLUMN {name} INTEGER NOT NULL DEFAULT 0")


def _values(row: DemandRow) -> tuple[str | int, ...]:
    return (row.day, row.scope, row.query, row.url, *(getattr(row.counts, name) for name in _COUNTS))


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
