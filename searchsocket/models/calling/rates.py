"""Rate limits from a provider's answers, so that most of them are never reached.

OpenAI's headers `x-ratelimit-{limit,remaining,reset}-{requests,tokens}`; `reset` is the time until all of `limit` is
there again (platform.openai.com/docs/guides/rate-limits), which says how fast it comes back.
"""

import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass

_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|h|m|s)")
_UNIT_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_WINDOW_S = 60.0  # that limits are stated for
_LONGEST_S = 60.0  # that anybody is made to wait for what headers say


@dataclass(slots=True)
class _Bucket:
    limit: float
    level: float
    refill: float  # a second
    at: float

    def level_at(self, now: float) -> float:
        return min(self.limit, self.level + self.refill * (now - self.at))


class Rates:
    """Requests and tokens that a provider still takes; safe to share between threads."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: dict[str, _Bucket] = {}

    def note(self, headers: Mapping[str, str]) -> None:
        """Take over what an answer says; what cannot be read is left."""
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
                # Calls that are under way are not in `remaining` yet: what was taken for them stays taken.
                level = remaining if bucket is None else min(remaining, bucket.level_at(now))
                self._buckets[kind] = _Bucket(limit, level, refill, now)

    def wait_s(self, tokens: int) -> float:
        """Seconds until a call of so many tokens will be taken; with 0.0 it counts as made."""
        now = self._clock()
        with self._lock:
            wants = [
                (self._buckets[kind], need)
                for kind, need in (("requests", 1), ("tokens", tokens))
                if kind in self._buckets
            ]
            wait = max(
                ((min(need, each.limit) - each.level_at(now)) / each.refill for each, need in wants), default=0.0
            )
            if wait > 0.0:
                return min(wait, _LONGEST_S)
            for each, need in wants:
                each.level, each.at = each.level_at(now) - need, now
            return 0.0


def _number(text: str | None) -> float | None:
    try:
        return float(text) if text is not None else None
    except ValueError:
        return None


def _seconds(text: str) -> float:
    """`6m0s`, `1.5s`, `20ms`; 0.0 for anything else."""
    return sum(float(number) * _UNIT_S[unit] for number, unit in _PART.findall(text))
