"""When a build is indexed, and when once more: judged from what became of the runs that were asked for."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

_FIRST_PAUSE_S = 60.0
_GROWTH = 4.0
_LONGEST_PAUSE_S = 6 * 3600.0


@dataclass(frozen=True, slots=True)
class Attempt:
    """A run that was asked for a build."""

    digest: str  # of the build
    failed: bool  # it ended, and not well
    ended_at: float  # seconds since the epoch; of one that goes on, when it was last heard of


def is_due(digest: str, attempts: Sequence[Attempt], now: float) -> bool:
    """Return True if a scope's build needs a run.

    A build that is not the one that was last asked for does, also where it was indexed before. One whose run failed
    does again after a minute, and each time after a pause four times as long, up to six hours.

    Args:
        attempts: Those of the scope, the newest first.
        now: Seconds since the epoch.
    """
    same = list(takewhile(lambda attempt: attempt.digest == digest, attempts))
    if not all(attempt.failed for attempt in same):
        return False
    return not same or now - same[0].ended_at >= pause_s(len(same))


def pause_s(failures: int) -> float:
    """Seconds between a failure and the next attempt, after so many."""
    return min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * math.pow(_GROWTH, min(failures - 1, 20)))
