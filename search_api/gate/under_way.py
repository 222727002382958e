"""Requests that are being answered are counted, and those beyond a limit are refused at once."""

import logging

from starlette.types import ASGIApp, Receive, Scope, Send

from search_api.errors import error_response
from searchsocket.errors import Busy

MAX_UNDER_WAY = 1_000
_log = logging.getLogger("searchsocket.api")


class UnderWayGuard:
    """Counts requests, not connections: one that says nothing takes nothing from others."""

    def __init__(self, app: ASGIApp, most: int = MAX_UNDER_WAY) -> None:
        self._app = app
        self._most = most
        self._count = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if self._count >= self._most:
            _log.warning("refused a request: %d requests are in progress", self._most)
            await error_response(Busy("too many requests; try again"))(scope, receive, send)
            return
        self._count += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._count -= 1
