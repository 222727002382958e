"""Demand log of a project: one SQLite file in the state folder, which any number of processes may write.

A row is only written once enough visitors share it. The log has no times, only days.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import date, timedelta
from pathlib import Path

from searchsocket.demand.tally import DemandCounts, DemandRow
from searchsocket.errors import StateUnavailable
from searchsocket.system.errors import client_error
from searchsocket.system.files import make_private_folder, share

FILE = "demand.db"
MAX_ROWS = 200_000  # about 20 MB; above it the oldest days are deleted
_BUSY_TIMEOUT_S = 30.0
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
            with closing(sqlite3.connect(self.path, timeout=_BUSY_TIMEOUT_S)) as db:
                db.execute("PRAGMA journal_mode = WAL")
                db.execute(_TABLE)
                share(self.path)
                with db:
                    yield db
        except (sqlite3.Error, OSError) as error:
            if isinstance(error, sqlite3.DatabaseError) and "not a database" in str(error):
                raise StateUnavailable(f"{self.path} is damaged; rename it to start a new demand log") from error
            raise client_error("cannot use the demand log", self.path, error) from error


def _values(row: DemandRow) -> tuple[str | int, ...]:
    return (row.day, row.scope, row.query, row.url, *(getattr(row.counts, name) for name in _COUNTS))
