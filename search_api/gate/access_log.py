"""The access log: one JSON line per request."""

import json
from collections.abc import Callable
from datetime import UTC, datetime

from search_api.gate.observer import AnsweredRequest


def access_line(answered: AnsweredRequest, now: datetime) -> str:
    """Return the log line of a request, without a line end."""
    return json.dumps(
        {
            "time": now.isoformat(timespec="milliseconds"),
            "id": answered.request_id,
            "method": answered.method,
            "endpoint": answered.endpoint,
            "status": answered.status,
            "ms": round(1000 * answered.seconds, 3),
            "scope": answered.scope,
            "hits": answered.hits,
            "trusted": answered.trusted,
        }
    )


def access_log(write: Callable[[str], None]) -> Callable[[AnsweredRequest], None]:
    """Return a listener that writes log lines."""
    return lambda answered: write(access_line(answered, datetime.now(UTC)))
