"""`GET /api/health`, and the probes `/api/live` and `/api/ready`."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from fastapi import FastAPI, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from search_api.endpoints.common import caller_of, json_response
from searchsocket.search.wire import Wire
from searchsocket.serving.health import ServiceHealth
from searchsocket.serving.service import SearchService

PROBES = ("live", "ready")  # the last part of their paths
NO_INDEX = "a public scope has no usable index"
STOPPING = "the service is stopping"


@dataclass(frozen=True, slots=True)
class Liveness(Wire):
    """`live`: the process answers."""

    live: bool = True


@dataclass(frozen=True, slots=True)
class Readiness(Wire):
    """`ready`: send queries here."""

    ready: bool
    reason: str | None = None  # why not


def add_health(app: FastAPI, prefix: str, service: SearchService) -> None:
    """Serve the state of the service, and the probes, below `prefix`."""

    @app.get(
        f"{prefix}/health",
        operation_id="health",
        summary="Get the health of the service",
        response_model=ServiceHealth,
        responses={503: {"model": ServiceHealth, "description": "Not ready: no usable index for a scope."}},
    )
    async def get_health(request: Request) -> Response:
        health = await run_in_threadpool(service.health, trusted=caller_of(request).trusted)
        return json_response(health, 200 if health.ready else 503, sources=False)

    async def obstacle(_: Request) -> str | None:
        return None if (await run_in_threadpool(service.health, trusted=False)).ready else NO_INDEX

    add_probes(app, prefix, obstacle)


def add_probes(app: FastAPI, prefix: str, obstacle: Callable[[Request], Awaitable[str | None]]) -> None:
    """Serve `live` and `ready` below `prefix`.

    Args:
        obstacle: Returns why the service cannot answer queries; None if it can.
    """

    @app.get(f"{prefix}/live", include_in_schema=False)
    async def get_live() -> Response:
        return json_response(Liveness(), sources=False)

    @app.get(f"{prefix}/ready", include_in_schema=False)
    async def get_ready(request: Request) -> Response:
        reason = STOPPING if _is_stopping(request.app) else await obstacle(request)
        return json_response(Readiness(reason is None, reason), 503 if reason else 200, sources=False)


def _is_stopping(app: FastAPI) -> bool:
    """Return True after the signal to stop; the server still answers for `--drain-seconds`."""
    notice = getattr(app.state, "stop_notice", None)
    return notice is not None and notice.is_set()
