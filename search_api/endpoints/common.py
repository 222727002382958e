"""Shared code of endpoints."""

from collections.abc import Mapping
from typing import Annotated

from fastapi import Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from searchsocket.search.wire import Wire
from searchsocket.serving.answers import to_json
from searchsocket.serving.capabilities.all_capabilities import CAPABILITIES
from searchsocket.serving.capabilities.base import Caller
from searchsocket.system.json_text import JsonObject

ENDPOINTS = frozenset(
    {
        *(each.http.path.split("/")[1] for each in CAPABILITIES if each.http.path),
        "beacon",
        "health",
        "live",
        "openapi.json",
        "owner",
        "page",
        "ready",
    }
)


class ErrorDetail(BaseModel):
    code: str
    message: str
    suggestions: Annotated[list[str] | None, Field(description="Similar pages.")] = None


class ErrorResponse(BaseModel):
    """Every error of this service."""

    error: ErrorDetail


def error_docs(**statuses: str) -> dict[int | str, JsonObject]:
    """OpenAPI responses, e.g. `error_docs(s400="...")`."""
    return {int(status[1:]): {"model": ErrorResponse, "description": text} for status, text in statuses.items()}


ERRORS = error_docs(
    s400="The request is malformed or exceeds a limit.",
    s401="The key is wrong.",
    s403="The scope needs a key.",
    s404="No index for the scope, no such page, or an expired continuation token; `suggestions` may list "
    "similar pages.",
    s429="Too many requests; see Retry-After.",
    s503="The index or the embedding service is unavailable.",
)

BODY_ERRORS = error_docs(
    s408="The body did not arrive in time.", s413="The body is too large.", s415="The body is not JSON."
)


def caller_of(request: Request) -> Caller:
    """The caller, as `CallerGuard` identified it."""
    caller: Caller = request.state.caller
    return caller


def note_search(request: Request, scope: str, hits: int) -> None:
    """Store the searched scope and the number of results, for logs and metrics."""
    request.state.scope, request.state.hits = scope, hits


def json_response(
    answer: Wire, status: int = 200, *, sources: bool, headers: Mapping[str, str] | None = None
) -> Response:
    """Serialize an answer to JSON, without validation."""
    return Response(to_json(answer, sources=sources), status, headers, "application/json")
