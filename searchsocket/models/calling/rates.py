"""Rate limits from a provider's answers, so that calls rarely reach them.

OpenAI's headers are `x-ratelimit-{limit,remaining,reset}-{requests,tokens}`. `reset` is the time until the whole
`limit` is available again (platform.openai.com/docs/guides/rate-limits); the refill rate follows from it.
"""

import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass

_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|h|m|s)")
_UNIT_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_WINDOW_S = 60.0  # period of the limits
_LONGEST_S = 60.0  # longest wait because of headers


@dataclass(slots=True)
class _Bucket:
    limit: float
    level: float
    refill: float  # per second
    at: float

    def level_at(self, now: float) -> float:
        return min(self.limit, self.level + self.refill * (now - self.at))


class Rates:
    """Remaining requests and tokens of a provider; safe to share between threads."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: dict[str, _Bucket] = {}

    def note(self, headers: Mapping[str, str]) -> None:
        """Read the limits in the headers of an answer; unreadable headers are ignored."""
        now = self._clock()
        with self._lock:
            for kind in ("requests", "tokens"):
                limit, remaining = (
                    _number(headers.get(f"x-ratelimit-{name}-{kind}")) for name in ("limit", "remaining")
                )
                if not limit or remaining is None:
                    continue
                reset_s = _seconds(headers.get(f"x-ratelimit-reset-{kind}", ""))
                refill = (limit - remaining) / reset_s if reset_s and remaining < limit else limit / _WINDOW_S
                bucket = self._buckets.get(kind)
                # `remaining` does not include running calls, so their share stays subtracted.
                level = remaining if bucket is None else min(remaining, bucket.level_at(now))
                self._buckets[kind] = _Bucket(limit, level, refill, now)

    def wait_s(self, tokens: int) -> float:
        """Return the seconds until a call of so many tokens is accepted; 0.0 counts as a call."""
        now = self._clock()
        with self._lock:
            needs = [
                (self._buckets[kind], need)
                for kind, need in (("requests", 1), ("tokens", tokens))
                if kind in self._buckets
            ]
            wait = max(
                ((min(need, each.limit) - each.level_at(now)) / each.refill for each, need in needs), default=0.0
            )
            if wait > 0.0:
                return min(wait, _LONGEST_S)
            for each, need in needs:
                each.level, each.at = each.level_at(now) - need, now
            return 0.0


def _number(text: str | None) -> float | None:
    try:
        return float(text) if text is not None else None
    except ValueError:
        return None


def _seconds(text: str) -> float:
    """Parse a duration such as `6m0s`, `1.5s` or `20ms`; 0.0 for anything else."""
    return sum(float(number) * _UNIT_S[unit] for number, unit in _PART.findall(text))
