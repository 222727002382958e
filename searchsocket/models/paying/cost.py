"""Cost estimates for embedding (spec 21)."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime

from searchsocket.dollars import dollars
from searchsocket.errors import BudgetExceeded, ConfigError

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
