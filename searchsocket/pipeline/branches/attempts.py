"""Decide when a build needs a run, and when a failed run is repeated, from the runs requested so far."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

_FIRST_PAUSE_S = 60.0
_GROWTH = 4.0
_LONGEST_PAUSE_S = 6 * 3600.0


@dataclass(frozen=True, slots=True)
class Attempt:
    """A run that was requested for a build."""

    digest: str  # of the build
    failed: bool  # it ended without success
    ended_at: float  # seconds since the epoch; for a running one, the time of its last sign of life


def is_due(digest: str, attempts: Sequence[Attempt], now: float) -> bool:
    """Return True if a scope's build needs a run.

    A new build does, that is one other than the last requested build, even if it was indexed before. A failed build is
    repeated after a minute; each further pause is four times as long, up to six hours.

    Args:
        attempts: The attempts of the scope, newest first.
        now: Seconds since the epoch.
    """
    same = list(takewhile(lambda attempt: attempt.digest == digest, attempts))
    if not all(attempt.failed for attempt in same):
        return False
    return not same or now - same[0].ended_at >= pause_s(len(same))


def pause_s(failures: int) -> float:
    """Seconds between the last failure and the next attempt."""
    return min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * math.pow(_GROWTH, min(failures - 1, 20)))
