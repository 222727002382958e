"""`GET /api/health`."""

from fastapi import FastAPI, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from search_api.endpoints.common import caller_of, json_response
from search_api.schemas import HealthResponse
from searchsocket.serving.service import SearchService


def add_health(app: FastAPI, path: str, service: SearchService) -> None:
    """Serve the state of the service at `path`."""

    @app.get(
        path,
        operation_id="health",
        summary="Whether queries are answered",
        response_model=HealthResponse,
        responses={503: {"model": HealthResponse, "description": "Not ready: a scope has no usable index."}},
    )
    async def get_health(request: Request) -> Response:
        health = await run_in_threadpool(service.health, trusted=caller_of(request).trusted)
        return json_response(HealthResponse.of(health), 200 if health.ready else 503)
