"""The access log: a line of JSON for each request."""

import json
from collections.abc import Callable
from datetime import UTC, datetime

from search_api.gate.observer import Answered


def access_line(answered: Answered, now: datetime) -> str:
    """A request as the log has it, without a line end."""
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


def access_log(write: Callable[[str], None]) -> Callable[[Answered], None]:
    """A listener that writes lines."""
    return lambda answered: write(access_line(answered, datetime.now(UTC)))
