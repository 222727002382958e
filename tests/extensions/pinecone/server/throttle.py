"""How many requests a second are answered.

docs: reference/api/database-limits. "Pinecone enforces rate limits on the number of API requests per second at the
namespace level for data plane operations": 100 each of query, upsert, delete and update. "Update by metadata requests
per second per namespace: 5." Whoever exceeds them receives "429 - TOO_MANY_REQUESTS".
"""

from collections import defaultdict, deque
from collections.abc import Callable

from tests.extensions.pinecone.server.refused import Refused

A_SECOND = 100
A_SECOND_BY_FILTER = 5


class Throttle:
    """Counts what came within the last second of a clock."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._came: dict[tuple[str, str, str], deque[float]] = defaultdict(deque)

    def check(self, index: str, namespace: str, operation: str, limit: int = A_SECOND) -> None:
        now = self._clock()
        came = self._came[index, namespace, operation]
        while came and came[0] <= now - 1:
            came.popleft()
        if len(came) >= limit:
            raise Refused(
                429,
                f"You've reached the maximum {operation} requests per second for namespace {namespace} ({limit})",
                "RESOURCE_EXHAUSTED",
                retry_after="1",
            )
        came.append(now)
