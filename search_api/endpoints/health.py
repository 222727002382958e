"""`GET /api/health`."""

from fastapi import FastAPI, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from search_api.endpoints.common import caller_of, json_response
from searchsocket.serving.health import ServiceHealth
from searchsocket.serving.service import SearchService


def add_health(app: FastAPI, path: str, service: SearchService) -> None:
    """Serve the state of the service at `path`."""

    @app.get(
        path,
        operation_id="health",
        summary="Get the health of the service",
        response_model=ServiceHealth,
        responses={503: {"model": ServiceHealth, "description": "Not ready: no usable index for a scope."}},
    )
    async def get_health(request: Request) -> Response:
        health = await run_in_threadpool(service.health, trusted=caller_of(request).trusted)
        return json_response(health, 200 if health.ready else 503, sources=False)
