"""Cost estimates for embedding (spec 21), and the ledger of real charges per month (UTC) and project.

The ledger is next to the embedding cache, because clones share the costs. Each payment is one upsert in an SQLite file:
any number of runs and services may pay at once, and a crash loses none.
"""

import sqlite3
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Literal

from searchsocket.dollars import dollars
from searchsocket.errors import BudgetExceeded, ConfigError, SearchSocketError, StateUnavailable
from searchsocket.system.errors import client_error
from searchsocket.system.files import make_private_folder, share

# US dollars per million tokens. The OpenAI figures are its list prices (platform.openai.com/docs/pricing) of
# 2025-11; `embeddings.price_per_million_tokens_usd` overrides them.
PRICES_PER_MILLION_TOKENS_USD: Mapping[str, float] = {
    "builtin": 0.0,
    "hash-512-v1": 0.0,
    "local": 0.0,
    "text-embedding-3-large": 0.13,
    "text-embedding-3-small": 0.02,
    "text-embedding-ada-002": 0.10,
}

FILE = "costs.db"
Use = Literal["index", "queries", "reranking", "answers"]
_BUSY_TIMEOUT_S = 30.0
_TABLE = (
    "CREATE TABLE IF NOT EXISTS paid (project TEXT, month TEXT, used_for TEXT, model TEXT, "
    "tokens INTEGER NOT NULL, cost_usd REAL NOT NULL, PRIMARY KEY (project, month, used_for, model)) WITHOUT ROWID"
)


def price_of(model: str, override: float | None = None) -> float:
    """Return US dollars per million tokens: the configured price, else the one in the table.

    Raises:
        ConfigError: The model is not in the table and no price is configured, so no budget could be checked.
    """
    return listed_price(PRICES_PER_MILLION_TOKENS_USD, model, override, "embedding model", "embeddings")


def listed_price(table: Mapping[str, float], model: str, override: float | None, kind: str, section: str) -> float:
    """Return US dollars per million tokens: `override`, else the model's price in the table.

    Args:
        kind: Kind of the model, for the error.
        section: Section of the settings in which the price can be set.

    Raises:
        ConfigError: The model is not in the table and no price is configured.
    """
    if override is not None:
        return override
    if model not in table:
        raise ConfigError(
            f"the price of {kind} {model!r} is unknown; set {section}.price_per_million_tokens_usd (0 for a server "
            "of your own)"
        )
    return table[model]


@dataclass(frozen=True, slots=True)
class Budget:
    """Budget for embedding in US dollars; None = no limit."""

    run_usd: float | None = None
    month_usd: float | None = None
    spent_usd: float = 0.0  # in this month so far

    def allow(self, cost_usd: float) -> None:
        """Check the estimated cost of a run; a run that costs nothing always passes.

        Raises:
            BudgetExceeded: The cost is over the run's budget, or over the rest of the month's.
        """
        if self.run_usd is not None and cost_usd > self.run_usd:
            raise BudgetExceeded(cost_usd, self.run_usd)
        if self.month_usd is not None and cost_usd and self.spent_usd + cost_usd > self.month_usd:
            raise BudgetExceeded(cost_usd, self.month_usd, self.spent_usd)

    def words(self) -> str:
        """The budget in words."""
        run = "" if self.run_usd is None else f"within the budget of {dollars(self.run_usd)}"
        month = (
            ""
            if self.month_usd is None
            else f"{dollars(self.spent_usd)} of this month's {dollars(self.month_usd)} are spent"
        )
        return "; ".join(filter(None, (run, month))) or "no budget is set"


NO_BUDGET = Budget()


class DailyBudget:
    """Limit of US dollars per day of the clock; safe to share between threads.

    Args:
        max_usd: 0 = no limit.
    """

    def __init__(self, max_usd: float, clock: Callable[[], datetime]) -> None:
        self._max_usd = max_usd
        self._clock = clock
        self._lock = threading.Lock()
        self._day: date | None = None
        self._spent_usd = 0.0

    def take(self, cost_usd: float) -> bool:
        """Spend an amount; return False and spend nothing if it is too much."""
        with self._lock:
            if (today := self._clock().date()) != self._day:
                self._day, self._spent_usd = today, 0.0
            if self._max_usd and self._spent_usd + cost_usd > self._max_usd:
                return False
            self._spent_usd += cost_usd
            return True


def estimate(tokens: int, price_per_million_tokens_usd: float) -> float:
    """Return the cost in US dollars of embedding `tokens`."""
    return tokens * price_per_million_tokens_usd / 1_000_000


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of `text` without a tokenizer: a quarter of its UTF-8 bytes, rounded up.

    About right for English and code. Chinese has three bytes per character: three tokens for four characters.
    """
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return (size + 3) // 4


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
