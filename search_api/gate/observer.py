"""Log and metrics of answered requests, without queries and addresses."""

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from time import perf_counter

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from search_api.endpoints.common import ENDPOINTS
from search_api.gate.guards import HttpLayer

_OTHERS = {"/metrics": "metrics", "/docs": "docs", "/owner": "owner"}


@dataclass(frozen=True, slots=True)
class AnsweredRequest:
    """One request and how it was answered."""

    request_id: str
    method: str
    endpoint: str  # its name only: the remaining URL may contain private text
    status: int  # 0 if the client disconnected first
    seconds: float
    scope: str | None  # the searched scope; None without a search
    hits: int | None  # results of a search
    trusted: bool


class Observer(HttpLayer):
    """Passes every request and its result to the listeners."""

    def __init__(
        self, app: ASGIApp, search_path: str, agents_path: str, listeners: Sequence[Callable[[AnsweredRequest], None]]
    ) -> None:
        super().__init__(app)
        self._agents_path = agents_path
        self._search_path = search_path
        self._prefix = search_path.rpartition("/")[0] + "/"
        self._listeners = listeners

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        start_s = perf_counter()
        state = scope.setdefault("state", {})
        status = 0

        async def send_noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, send_noted)
        finally:
            answered = AnsweredRequest(
                request_id=state.get("request_id", ""),
                method=scope["method"] if scope["method"] in ("GET", "HEAD", "POST", "OPTIONS") else "other",
                endpoint=self._endpoint(scope["path"]),
                status=status,
                seconds=perf_counter() - start_s,
                scope=state.get("scope"),
                hits=state.get("hits"),
                trusted="caller" in state and state["caller"].trusted,
            )
            for listener in self._listeners:
                listener(answered)

    def _endpoint(self, path: str) -> str:
        if path in (self._search_path, "/"):
            return "search" if path == self._search_path else "page"
        if path.rstrip("/") == self._agents_path.rstrip("/"):
            return "mcp"
        name = path.removeprefix(self._prefix).partition("/")[0] if path.startswith(self._prefix) else ""
        return name if name in ENDPOINTS else _OTHERS.get(path, "other")


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


def access_log(answered: AnsweredRequest) -> None:
    """Write the log line of a request to stderr."""
    print(access_line(answered, datetime.now(UTC)), file=sys.stderr, flush=True)
