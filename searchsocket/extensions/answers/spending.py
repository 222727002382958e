"""Limits of answers: costs per month, per visitor and day, and answers at once."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, datetime

from searchsocket.errors import SearchSocketError
from searchsocket.extensions.answers.model import Prices, Usage
from searchsocket.models.paying.cost import Ledger
from searchsocket.serving.capabilities.base import Caller

MAX_ANSWERS = 8  # written at once by this process
MAX_TRUSTED = 4  # of all callers with the key
_MAX_LEFT = 3  # of one visitor, with those that the visitor no longer waits for
_MAX_VISITORS = 50_000  # remembered at once; the least recent one is forgotten first


class Spending:
    """Costs of answers; safe to share between threads.

    Args:
        month_usd: Limit of the ledger's total per month; None = no limit.
        visitor_day_usd: Limit per anonymous address and day (UTC) of this process; 0 = no limit.
    """

    def __init__(
        self,
        prices: Prices,
        ledger: Ledger,
        *,
        month_usd: float | None,
        visitor_day_usd: float,
        clock: Callable[[], datetime],
        on_error: Callable[[BaseException], None],
    ) -> None:
        self.prices = prices
        self._ledger = ledger
        self._month_usd = month_usd
        self._visitor_day_usd = visitor_day_usd
        self._clock = clock
        self._on_error = on_error
        self._lock = threading.Lock()
        self._day: date | None = None
        self._visitors: OrderedDict[str, float] = OrderedDict()  # address -> US dollars of today

    def reserve(self, caller: Caller, usage: Usage) -> bool:
        """Reserve the highest cost of an answer; return False if a limit forbids it."""
        cost = self.prices.cost_usd(usage)
        is_forbidden = self._ledger.forbids(cost, self._month_usd, self._on_error)
        return not cost or (not is_forbidden and self._take(caller, cost, can_refuse=True))

    def settle(self, caller: Caller, reserved: Usage, used: Usage, model: str) -> None:
        """Replace a reservation by the real cost, and record that in the ledger."""
        cost = self.prices.cost_usd(used)
        self._take(caller, cost - self.prices.cost_usd(reserved), can_refuse=False)
        if not cost:
            return
        try:
            self._ledger.add("answers", model, tokens=used.prompt + used.completion, cost_usd=cost)
        except SearchSocketError as error:  # the answer is shown anyway
            self._on_error(error)

    def _take(self, caller: Caller, cost_usd: float, *, can_refuse: bool) -> bool:
        if caller.trusted or not self._visitor_day_usd:
            return True
        with self._lock:
            if (today := self._clock().date()) != self._day:
                self._day = today
                self._visitors.clear()
            spent = self._visitors.get(caller.address, 0.0) + cost_usd
            if can_refuse and spent > self._visitor_day_usd:
                return False
            self._visitors[caller.address] = max(spent, 0.0)
            self._visitors.move_to_end(caller.address)
            while len(self._visitors) > _MAX_VISITORS:
                self._visitors.popitem(last=False)
            return True


class Turns:
    """Answers at once: one per visitor, and not too many in all."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: list[tuple[str, threading.Event]] = []

    @contextmanager
    def turn(self, caller: Caller, left: threading.Event) -> Iterator[bool]:
        """Take a turn for the block; False if the caller has none.

        Args:
            left: Is set when the caller stops waiting; a new question need not wait for the end of this block then.
        """
        name = "" if caller.trusted else f"visitor {caller.address}"
        turn = name, left
        with self._lock:
            own = [each for owner, each in self._running if owner == name]
            waiting = sum(not each.is_set() for each in own)
            most, most_waiting = (MAX_ANSWERS, MAX_TRUSTED) if caller.trusted else (_MAX_LEFT, 1)
            is_free = waiting < most_waiting and len(own) < most and len(self._running) < MAX_ANSWERS
            if is_free:
                self._running.append(turn)
        try:
            yield is_free
        finally:
            if is_free:
                with self._lock:
                    self._running = [each for each in self._running if each is not turn]
