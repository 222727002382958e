"""Errors at the search page, as a page."""

import json

from starlette.datastructures import MutableHeaders, QueryParams
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from search_api.page.home import CSP
from search_api.page.view import Renderer, View


class ErrorPages:
    """Renders errors of requests for the search page as that page, for all layers inside."""

    def __init__(self, app: ASGIApp, renderer: Renderer) -> None:
        self._app = app
        self._renderer = renderer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != "/":
            await self._app(scope, receive, send)
            return
        start: Message | None = None

        async def send_page(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and message["status"] >= 400:
                start = message
            elif start is None:
                await send(message)
            else:  # errors are one message long
                body = self._error_page(scope, message["body"])
                headers = MutableHeaders(raw=list(start["headers"]))
                headers.update(
                    {
                        "content-type": "text/html; charset=utf-8",
                        "content-length": str(len(body)),
                        "content-security-policy": CSP,
                    }
                )
                await send({**start, "headers": headers.raw})
                await send({**message, "body": body})

        await self._app(scope, receive, send_page)

    def _error_page(self, scope: Scope, body: bytes) -> bytes:
        form = {name: value for name, value in QueryParams(scope["query_string"]).multi_items() if value.strip()}
        message = json.loads(body)["error"]["message"]
        return self._renderer.html(View(form, problem=f"{message[:1].upper()}{message[1:]}."))
