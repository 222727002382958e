"""When the next call of a provider may be made: how many at once, and not before when. Holds no clock and no thread."""

import random
from collections.abc import Callable

_FAILURES = 8  # of one call, or limits in a row; within about a minute, as long as a provider takes to start anew
_MAX_PAUSE_S = 120.0  # who asks for a longer one is not waited for
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 20.0


class Schedule:
    """Additive increase, multiplicative decrease of the calls at once, as TCP does it; and pauses that all calls keep.

    Args:
        most: Calls under way at once, at the most.
        jitter: In [0, 1): keeps those that fail together from coming back together.
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
        """Calls that may be under way."""
        return int(self._window)

    def hold(self, until: float) -> None:
        """Let nobody call before then."""
        self.not_before = max(self.not_before, until)

    def answered(self) -> None:
        self._limits_in_row = 0
        self._window = min(self._most, self._window + 1.0 / self._window)

    def limited(self, now: float, sent_at: float, stated_s: float | None) -> bool:
        """Note that the provider refused a call as one too many.

        Calls that were sent before the last cut say nothing new.

        Args:
            stated_s: How long the provider wants to be left alone; None = it did not say.

        Returns:
            Whether another attempt makes sense.
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
