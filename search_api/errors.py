"""HTTP responses for errors: a stable code and a status, without internal details; and the exception handlers."""

import json
import math
from collections.abc import Callable, Sequence
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic_core import ErrorDetails
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match

from searchsocket.errors import Busy, PageMissing, ScopeRefused, SearchSocketError, VectorBackendUnavailable
from searchsocket.serving.answers import INTERNAL, public_message
from searchsocket.text.hidden import visible_in
from searchsocket.text.mistakes import explain_mistake

_STATUS = {
    "INVALID_REQUEST": 400,
    "UNKNOWN_FACET": 400,
    "UNKNOWN_VERSION": 404,
    "INVALID_SCOPE": 400,
    "UNAUTHORIZED": 401,
    "SCOPE_NOT_INDEXED": 404,
    "PAGE_NOT_FOUND": 404,
    "CONTINUATION_GONE": 404,
    "CHUNK_GONE": 404,
    "RATE_LIMITED": 429,
    "BUSY": 503,
    "INDEX_LOADING": 503,
    "CONFIG_MISSING": 503,
    "CONFIG_INVALID": 503,
    "EMBEDDING_MODEL_MISMATCH": 503,
    "EMBEDDER_UNAVAILABLE": 503,
    "EMBEDDER_REFUSED": 503,
    "VECTOR_BACKEND_UNAVAILABLE": 503,
    "VECTOR_BACKEND_REFUSED": 503,
    "ARTIFACTS_UNAVAILABLE": 503,
    "ARTIFACT_INVALID": 503,
    "INDEX_CORRUPT": 503,
    "INDEX_FORMAT": 503,
    "NEWER_RELEASE": 503,
    "STATE_UNAVAILABLE": 503,
    "PERMISSION_DENIED": 503,
    "PROJECT_MISMATCH": 503,
    "PAGE_TEXTS_MISSING": 503,
}
_CODES = {404: "NOT_FOUND", 405: "METHOD_NOT_ALLOWED"}
_MAX_COMPLAINTS = 3
_MAX_NAME_CHARS = 60


def status_of(error: SearchSocketError) -> int:
    """The HTTP status of an error; 500 for errors that no caller should see."""
    return 403 if isinstance(error, ScopeRefused) else _STATUS.get(error.code, 500)


def error_response(error: SearchSocketError, headers: dict[str, str] | None = None) -> Response:
    """Build the response for a typed error."""
    code = error.code if status_of(error) != 500 else "INTERNAL_ERROR"
    if isinstance(error, Busy | VectorBackendUnavailable):
        headers = {"retry-after": str(math.ceil(error.retry_after_s))} | (headers or {})
    more = {"suggestions": error.suggestions} if isinstance(error, PageMissing) else {}
    return problem(status_of(error), code, public_message(error), headers, **more)


def problem(
    status: int, code: str, message: str, headers: dict[str, str] | None = None, **more: Sequence[str]
) -> Response:
    """`{"error": {"code", "message"}}` with a status."""
    # The message may quote the request, such as a lone surrogate, which UTF-8 cannot encode.
    body = json.dumps(visible_in({"error": {"code": code, "message": message, **more}}), ensure_ascii=False)
    return Response(body, status, headers, "application/json")


BUSY = bytes(error_response(Busy("too many connections are open; try again")).body)


def internal_error() -> Response:
    """The response after an unexpected exception."""
    return problem(500, "INTERNAL_ERROR", INTERNAL)


def add_handlers(app: FastAPI, on_error: Callable[[BaseException], None]) -> None:
    """Handle typed errors, malformed requests and unknown paths; `on_error` gets errors that the operator must fix."""

    async def on_ours(_: Request, error: Exception) -> Response:
        assert isinstance(error, SearchSocketError)
        if status_of(error) >= 500 and not isinstance(error, Busy):
            on_error(error)
        return error_response(error)

    async def on_malformed(_: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        return problem(400, "INVALID_REQUEST", _complaints(error.errors()))

    async def on_http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        status = error.status_code
        headers = {name.lower(): value for name, value in (error.headers or {}).items()}
        if status == 405:  # the router names the methods of one route; a path may have several
            headers["allow"] = ", ".join(_methods(request))
        return problem(status, _CODES.get(status, "INVALID_REQUEST"), _phrase(status), headers)

    app.add_exception_handler(SearchSocketError, on_ours)
    app.add_exception_handler(RequestValidationError, on_malformed)
    app.add_exception_handler(HTTPException, on_http)


def _methods(request: Request) -> list[str]:
    """Return all methods that this path accepts."""
    routes = (route for route in request.app.routes if route.matches(request.scope)[0] is not Match.NONE)
    methods = {method for route in routes for method in getattr(route, "methods", None) or ()}
    return sorted(methods | ({"HEAD"} if "GET" in methods else set()))


def _complaints(errors: Sequence[ErrorDetails]) -> str:
    """Describe the invalid fields of a request, without repeating their values."""
    complaints = [_complaint(error) for error in errors[:_MAX_COMPLAINTS]]
    more = len(errors) - len(complaints)
    return "; ".join([*complaints, f"and {more} more"] if more > 0 else complaints) or "the request is malformed"


def _complaint(error: ErrorDetails) -> str:
    if error["type"] == "json_invalid":
        return "the body is not valid JSON"
    path = [str(part) for part in error["loc"][1:]]
    name = ".".join(path)[:_MAX_NAME_CHARS] or str(error["loc"][0])
    message = "is an unknown field" if error["type"] == "extra_forbidden" else explain_mistake(error)
    return f"{name}: {message}"


def _phrase(status: int) -> str:
    return HTTPStatus(status).phrase.lower() if status in HTTPStatus._value2member_map_ else "the request failed"
