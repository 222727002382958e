"""Rate limit of this process: a moving window per client.

Each process of `serve --workers` counts separately; for an exact limit, use the proxy's.
"""

import math
import time
from collections import OrderedDict, deque
from collections.abc import Callable

from starlette.responses import Response

from search_api.errors import error_response
from searchsocket.errors import RateLimited
from searchsocket.project.settings.model import RateLimitSettings

MAX_CLIENTS = 50_000  # remembered at once, some 40 MB; the least recent one is forgotten first


class RateLimit:
    """At most `settings.max` requests per client in any `settings.window_ms`; use it from the event loop only.

    Args:
        clock: Monotonic seconds; a wall clock that is set back would lock clients out for as long.
    """

    def __init__(self, settings: RateLimitSettings, clock: Callable[[], float] = time.monotonic) -> None:
        self._max = settings.max
        self._window_s = settings.window_ms / 1000
        self._clock = clock
        self._times: OrderedDict[str, deque[float]] = (
            OrderedDict()
        )  # of accepted requests; the most recent client is last

    def hit(self, client: str) -> float | None:
        """Count a request; return None if it may pass, else the seconds until one may."""
        now = self._clock()
        self._forget_idle(now)
        times = self._times.setdefault(client, deque())
        self._times.move_to_end(client)
        while times and times[0] <= now - self._window_s:
            times.popleft()
        if len(times) >= self._max:
            return times[0] + self._window_s - now
        times.append(now)
        return None

    def headers(self, client: str) -> list[tuple[bytes, bytes]]:
        """The client's remaining requests, as `RateLimit-*` headers."""
        times = self._times.get(client)
        remaining = self._max - len(times) if times else self._max
        reset = math.ceil(times[0] + self._window_s - self._clock()) if times else math.ceil(self._window_s)
        return [
            (b"ratelimit-limit", b"%d" % self._max),
            (b"ratelimit-remaining", b"%d" % max(remaining, 0)),
            (b"ratelimit-reset", b"%d" % max(reset, 0)),
        ]

    @property
    def clients(self) -> int:
        """The number of known clients."""
        return len(self._times)

    def _forget_idle(self, now: float) -> None:
        while self._times:
            client = next(iter(self._times))
            if len(self._times) < MAX_CLIENTS and self._times[client][-1] > now - self._window_s:
                return
            del self._times[client]

    def refusal(self, wait_s: float) -> Response:
        """Return a 429 with the seconds to wait."""
        seconds = max(math.ceil(wait_s), 1)
        error = RateLimited(f"at most {self._max} requests in {self._window_s:g} s; try again in {seconds} s")
        return error_response(error, {"retry-after": str(seconds)})
