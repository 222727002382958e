"""Ledger of real charges per month (UTC) and project, next to the embedding cache, because clones share the costs.

Each payment is one upsert in an SQLite file: any number of runs and services may pay at once, and a crash loses none.
"""

import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from searchsocket.errors import SearchSocketError, StateUnavailable
from searchsocket.system.errors import client_error
from searchsocket.system.files import make_private_folder, share

FILE = "costs.db"
Use = Literal["index", "queries", "reranking", "answers"]
_BUSY_TIMEOUT_S = 30.0
_TABLE = (
    "CREATE TABLE IF NOT EXISTS paid (project TEXT, month TEXT, used_for TEXT, model TEXT, "
    "tokens INTEGER NOT NULL, cost_usd REAL NOT NULL, PRIMARY KEY (project, month, used_for, model)) WITHOUT ROWID"
)


@dataclass(frozen=True, slots=True)
class Paid:
    """One line of the ledger."""

    month: str  # `2026-11`
    used_for: str  # one of `Use`
    model_id: str
    tokens: int  # as the provider charged them, else as we count them
    cost_usd: float


class Ledger:
    """One project's payments; safe to share between threads. The file is opened at the first use.

    Args:
        path: The file; created with its folder at the first payment.
        clock: The current time, for the month.
    """

    def __init__(self, path: Path, project_id: str, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self.path = path
        self._project_id = project_id
        self._clock = clock
        self._lock = threading.Lock()
        self._db: sqlite3.Connection | None = None

    def month(self) -> str:
        """Return the current month (UTC)."""
        return self._clock().astimezone(UTC).strftime("%Y-%m")

    def add(self, used_for: Use, model_id: str, *, tokens: int, cost_usd: float) -> None:
        """Record a payment.

        Raises:
            StateUnavailable: The file cannot be written.
        """
        row = (self._project_id, self.month(), used_for, model_id, tokens, cost_usd)
        try:
            with self._lock:
                self._connection().execute(
                    "INSERT INTO paid VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
                    "tokens = tokens + excluded.tokens, cost_usd = cost_usd + excluded.cost_usd",
                    row,
                )
        except (sqlite3.Error, OSError) as error:
            raise self._unusable(error) from error

    def lines(self) -> list[Paid]:
        """Return all payments, the newest month first; creates no file.

        Raises:
            StateUnavailable: The file cannot be read.
        """
        return [Paid(*row) for row in self._rows("month, used_for, model, tokens, cost_usd", "1")]

    def paid_usd(self) -> float:
        """Return the sum of all payments in the current month.

        Raises:
            StateUnavailable: The file cannot be read.
        """
        return float(sum(row[0] for row in self._rows("cost_usd", "month = ?", self.month())))

    def forbids(self, cost_usd: float, month_usd: float | None, on_error: Callable[[BaseException], None]) -> bool:
        """Return True if a cost exceeds the budget of this month, or if the ledger cannot be read."""
        if month_usd is None or not cost_usd:
            return False
        try:
            return self.paid_usd() + cost_usd > month_usd
        except StateUnavailable as error:
            on_error(error)
            return True

    def close(self) -> None:
        with self._lock:
            if self._db is not None:
                self._db.close()
                self._db = None

    def _rows(self, columns: str, condition: str, *values: str) -> list[Any]:
        query = f"SELECT {columns} FROM paid WHERE project = ? AND {condition} ORDER BY month DESC, used_for, model"
        try:
            with self._lock:
                if self._db is None and not self.path.exists():
                    return []
                return self._connection().execute(query, (self._project_id, *values)).fetchall()
        except (sqlite3.Error, OSError) as error:
            raise self._unusable(error) from error

    def _connection(self) -> sqlite3.Connection:
        if self._db is None:
            with suppress(SearchSocketError, OSError):  # reported when the file is opened
                make_private_folder(self.path.parent)
            db = sqlite3.connect(self.path, timeout=_BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False)
            try:
                db.execute("PRAGMA journal_mode = WAL")
                # A power cut may lose the last payments; a query does not wait for the disk.
                db.execute("PRAGMA synchronous = NORMAL")
                db.execute(_TABLE)
                share(self.path)
            except BaseException:
                db.close()
                raise
            self._db = db
        return self._db

    def _unusable(self, error: BaseException) -> SearchSocketError:
        if isinstance(error, sqlite3.DatabaseError) and "not a database" in str(error):
            return StateUnavailable(f"{self.path} is damaged; rename it and run again to start a new ledger")
        return client_error("cannot use the ledger of costs", self.path, error)
