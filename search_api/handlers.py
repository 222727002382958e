"""Exception handlers: every error becomes `{"error": {"code", "message"}}`."""

from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match

from search_api.errors import error_response, problem, status_of
from searchsocket.errors import Busy, SearchSocketError

_CODES = {404: "NOT_FOUND", 405: "METHOD_NOT_ALLOWED"}
_MAX_COMPLAINTS = 3
_MAX_NAME_CHARS = 60


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


def _complaints(errors: Sequence[Any]) -> str:
    """Describe the invalid fields of a request, without repeating their values."""
    complaints = [_complaint(error) for error in errors[:_MAX_COMPLAINTS]]
    more = len(errors) - len(complaints)
    return "; ".join([*complaints, f"and {more} more"] if more > 0 else complaints) or "the request is malformed"


def _complaint(error: dict[str, Any]) -> str:
    if error["type"] == "json_invalid":
        return "the body is not valid JSON"
    path = [str(part) for part in error["loc"][1:]]
    name = ".".join(path)[:_MAX_NAME_CHARS] or str(error["loc"][0])
    message = "is an unknown field" if error["type"] == "extra_forbidden" else error["msg"].removeprefix("Input ")
    return f"{name}: {message}"


def _phrase(status: int) -> str:
    return HTTPStatus(status).phrase.lower() if status in HTTPStatus._value2member_map_ else "the request failed"
