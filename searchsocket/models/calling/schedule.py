"""Schedule of a provider's calls: the number at once, and the earliest time of the next. Has no clock and no thread."""

import random
from collections.abc import Callable

_FAILURES = 8  # of one call, or limits in a row; in about a minute, the time of a provider's restart
_MAX_PAUSE_S = 120.0  # if a provider asks for a longer pause, the call fails
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 20.0


class Schedule:
    """Additive increase and multiplicative decrease of the calls at once, as in TCP; and pauses for all calls.

    Args:
        most: Maximum number of calls at once.
        jitter: Returns a number in [0, 1), so that calls that failed together are not retried together.
    """

    def __init__(self, most: int, jitter: Callable[[], float] = random.random) -> None:
        self._most = float(most)
        self._window = float(most)
        self._jitter = jitter
        self._cut_at = float("-inf")
        self._limits_in_row = 0
        self.not_before = float("-inf")

    @property
    def at_once(self) -> int:
        """Number of calls that may run now."""
        return int(self._window)

    def hold(self, until: float) -> None:
        """Allow no call before a time."""
        self.not_before = max(self.not_before, until)

    def answered(self) -> None:
        self._limits_in_row = 0
        self._window = min(self._most, self._window + 1.0 / self._window)

    def limited(self, now: float, sent_at: float, stated_s: float | None) -> bool:
        """Note that the provider refused a call because of a rate limit.

        Calls that were sent before the last reduction do not count.

        Args:
            stated_s: The pause that the provider asked for, in seconds; None = it did not.

        Returns:
            True if another attempt makes sense.
        """
        if sent_at >= self._cut_at:
            self._cut_at = now
            self._window = max(1.0, self._window / 2)
            self._limits_in_row += 1
            pause_s = self.pause_s(self._limits_in_row, None) if stated_s is None else stated_s
            if pause_s <= _MAX_PAUSE_S:
                self.hold(now + pause_s)
        elif stated_s is not None and stated_s <= _MAX_PAUSE_S:
            self.hold(now + stated_s)
        return self._limits_in_row < _FAILURES and (stated_s or 0.0) <= _MAX_PAUSE_S

    def pause_s(self, failures: int, stated_s: float | None) -> float:
        """The pause after a number of failures: the provider's request, otherwise about twice the previous pause."""
        if stated_s is not None:
            return stated_s
        return float(min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2 ** (failures - 1)) * (0.5 + self._jitter() / 2))

    def may_retry(self, failures: int, stated_s: float | None) -> bool:
        """Return True if another attempt makes sense after this number of failures."""
        return failures < _FAILURES and (stated_s or 0.0) <= _MAX_PAUSE_S
