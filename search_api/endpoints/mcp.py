"""MCP over HTTP for trusted callers: stateless, one JSON response per request."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

from fastapi import FastAPI
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.datastructures import Headers
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from search_api.errors import error_response, problem
from search_api.gate.origins import Origins
from searchsocket.agents.library import Libraries, LibraryMakers, ServedLibraries
from searchsocket.agents.projects import ProjectLibraries
from searchsocket.agents.server import make_server
from searchsocket.errors import ConfigError, Unauthorized
from searchsocket.project.project import Project
from searchsocket.serving.capabilities.base import Services


class McpEndpoint:
    """Checks the origin and the key before the protocol's own server."""

    def __init__(self, manager: StreamableHTTPSessionManager, origins: Origins) -> None:
        self._manager = manager
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope)
        # The protocol compares headers with bodies; spaces around a header's value are no part of it (RFC 9110 5.5).
        trimmed = dict(scope, headers=[(name, value.strip(b" \t")) for name, value in scope["headers"]])
        await (refusal or self._manager.asgi_app)(trimmed, receive, send)

    def _refusal(self, scope: Scope) -> ASGIApp | None:
        headers = Headers(scope=scope)
        if not self._origins.allow(headers):
            message = "this origin is not allowed; see api.cors.allow_origins"
            return problem(403, "INVALID_REQUEST", message)
        if not scope["state"]["caller"].trusted:
            error = Unauthorized("send the key as `Authorization: Bearer KEY`")
            return error_response(error, {"www-authenticate": "Bearer"})
        return None


def add_mcp(
    app: FastAPI,
    project: Project,
    services: Services,
    clock: Callable[[], datetime],
    origins: Origins,
    others: LibraryMakers | None,
) -> None:
    """Serve the protocol at `mcp.http.path`, for as long as the application runs.

    Raises:
        ConfigError: The path belongs to another endpoint.
    """
    path = project.settings.mcp.http.path
    if routes := [route for route in app.routes if getattr(route, "path", "").split("/{")[0] == path]:
        raise ConfigError(f"mcp.http.path {path!r} is where {getattr(routes[0], 'name', 'another endpoint')} is served")
    own = ServedLibraries(project, services, clock)
    libraries: Libraries = (
        ProjectLibraries({project.id: lambda: own, **{k: v for k, v in others.items() if k != project.id}})
        if others
        else own
    )
    structured = project.settings.mcp.structured_content
    server = make_server(libraries, structured=structured, on_error=services.search().on_error)
    manager = StreamableHTTPSessionManager(
        server, json_response=True, stateless=True, max_request_body_size=project.settings.api.max_body_bytes
    )
    # No GET: a client would wait for ever on an empty stream. No DELETE: there are no sessions to end.
    app.router.routes.append(Route(path, McpEndpoint(manager, origins), methods=["POST"], name="mcp"))
    start = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[Any]:
        async with manager.run(), start(app) as state:
            yield state

    app.router.lifespan_context = lifespan
