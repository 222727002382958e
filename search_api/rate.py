"""How often a client may ask: a moving window for each, kept in this process.

Several processes each count for themselves: divide the limit by their number, or limit in the proxy before them.
"""

import math
import time

from limits.storage import MemoryStorage
from starlette.responses import Response

from search_api.errors import error_response
from searchsocket.errors import RateLimited
from searchsocket.settings.model import RateLimitSettings


class RateLimit:
    """At most `settings.max` requests of a client in any `settings.window_ms`."""

    def __init__(self, settings: RateLimitSettings) -> None:
        self._max = settings.max
        self._window_s = settings.window_ms / 1000
        self._storage = MemoryStorage()

    def hit(self, client: str) -> float | None:
        """Count a request: None when it may pass, else the seconds until one may."""
        if self._storage.acquire_entry(client, self._max, self._window_s):  # type: ignore[arg-type]
            return None
        began, _ = self._storage.get_moving_window(client, self._max, self._window_s)  # type: ignore[arg-type]
        return max(began + self._window_s - time.time(), 0.0)

    def refusal(self, wait_s: float) -> Response:
        """429, saying when to come back."""
        seconds = max(math.ceil(wait_s), 1)
        error = RateLimited(f"at most {self._max} requests in {self._window_s:g} s; try again in {seconds} s")
        return error_response(error, {"retry-after": str(seconds)})
