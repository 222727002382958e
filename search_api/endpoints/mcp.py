"""MCP over HTTP for trusted callers: stateless, one JSON response per request."""

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.datastructures import Headers
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from search_api.errors import error_response, problem
from search_api.gate.callers import origin_host
from searchsocket.agents.library import ServedLibraries, WithOthers
from searchsocket.agents.server import make_server
from searchsocket.errors import ConfigError, Unauthorized
from searchsocket.serving.capabilities.base import Services
from searchsocket.serving.hosts import host_name, is_loopback
from searchsocket.system.json_text import without_lone_surrogates


class McpEndpoint:
    """Checks the origin and the key before the protocol's own server."""

    def __init__(self, manager: StreamableHTTPSessionManager, allowed_origins: Collection[str]) -> None:
        """`allowed_origins`: As browsers write them, https://app.example.com; `*` allows all."""
        self._manager = manager
        self._allowed_origins = allowed_origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope)
        # The protocol compares headers with bodies; spaces around a header's value are no part of it (RFC 9110 5.5).
        headers = [(name, value.strip(b" \t")) for name, value in scope["headers"] if name != b"accept"]
        # There is one kind of answer. The SDK refuses clients that do not name it, such as those without the header.
        headers.append((b"accept", b"application/json"))
        await (refusal or self._manager.asgi_app)(dict(scope, headers=headers), _repaired(receive), send)

    def _refusal(self, scope: Scope) -> ASGIApp | None:
        headers = Headers(scope=scope)
        own_host = host_name(headers.get("host", "")) or ""
        # A request without an origin is not from a page; only the other rules apply.
        if not all(self._is_allowed(origin, own_host) for origin in headers.getlist("origin")):
            message = "this origin is not allowed; see api.cors.allow_origins"
            return problem(403, "INVALID_REQUEST", message)
        if not scope["state"]["caller"].trusted:
            error = Unauthorized("send the key as `Authorization: Bearer KEY`")
            return error_response(error, {"www-authenticate": "Bearer"})
        return None

    def _is_allowed(self, origin: str, own_host: str) -> bool:
        """Return True for pages of this service, and for those of allowed origins."""
        if origin in self._allowed_origins or "*" in self._allowed_origins:
            return True
        name = origin_host(origin)
        return bool(name) and (name == own_host or (is_loopback(name) and is_loopback(own_host)))


def _repaired(receive: Receive) -> Receive:
    """Replace half surrogate pairs, which the SDK's parser refuses; the guards have read the whole body."""

    async def receive_repaired() -> Message:
        message = await receive()
        return {**message, "body": without_lone_surrogates(message["body"])} if message.get("body") else message

    return receive_repaired


def add_mcp(app: FastAPI, services: Services, with_others: WithOthers | None) -> None:
    """Serve the protocol at `mcp.http.path`, for as long as the application runs.

    Raises:
        ConfigError: The path belongs to another endpoint.
    """
    project = services.project
    path = project.settings.mcp.http.path
    if routes := [route for route in app.routes if getattr(route, "path", "").split("/{")[0] == path]:
        raise ConfigError(f"mcp.http.path {path!r} is where {getattr(routes[0], 'name', 'another endpoint')} is served")
    own = ServedLibraries(services)
    libraries = with_others(project.id, own) if with_others else own
    structured = project.settings.mcp.structured_content
    server = make_server(libraries, structured=structured, on_error=services.search().on_error)
    manager = StreamableHTTPSessionManager(
        server, json_response=True, stateless=True, max_request_body_size=project.settings.api.max_body_bytes
    )
    endpoint = McpEndpoint(manager, project.settings.api.cors.allow_origins)
    # No GET: a client would wait for ever on an empty stream. No DELETE: there are no sessions to end.
    # Clients add a slash, and a redirect would lose the body.
    for spelling in dict.fromkeys((path, path.rstrip("/") + "/")):
        app.router.routes.append(Route(spelling, endpoint, methods=["POST"], name="mcp"))
    start = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[Any]:
        async with manager.run(), start(app) as state:
            yield state

    app.router.lifespan_context = lifespan
