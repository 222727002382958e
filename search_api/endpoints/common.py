"""Shared code of endpoints: their names, errors in the OpenAPI document, JSON answers, and ETags with cache headers."""

import hashlib
import re
from collections.abc import Mapping
from typing import Annotated

from fastapi import Request
from pydantic import BaseModel, Field
from starlette.datastructures import Headers
from starlette.responses import Response

from searchsocket import __version__
from searchsocket.errors import ConfigError
from searchsocket.project.project import Project
from searchsocket.search.wire import Wire
from searchsocket.serving.answers import to_json
from searchsocket.serving.capabilities.all_capabilities import CAPABILITIES
from searchsocket.serving.capabilities.base import Caller
from searchsocket.serving.service import SearchService
from searchsocket.system.json_text import JsonObject

ENDPOINTS = frozenset(
    {
        *(each.http.path.split("/")[1] for each in CAPABILITIES if each.http.path),
        "answer",
        "beacon",
        "health",
        "live",
        "openapi.json",
        "owner",
        "page",
        "ready",
    }
)
_PATH = re.compile(r"(?:/[A-Za-z0-9._~-]+)+")
_VARY = "Authorization, Accept"


def check_search_path(path: str) -> None:
    """Check the path of the search endpoint.

    Raises:
        ConfigError: It is invalid or belongs to another endpoint.
    """
    if not _PATH.fullmatch(path) or path.rpartition("/")[2] in ENDPOINTS:
        raise ConfigError(
            f"api.path {path!r} must be a path such as /api/search, "
            f"and must not end with {', '.join(sorted(ENDPOINTS))}"
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


class Freshness:
    """Sets the cache headers of GET answers, and answers 304.

    An answer stays valid until the generation, the settings, `curation.toml` or the caller's tier change.
    The ETag is weak: an answer also contains its own age and time.
    """

    def __init__(self, project: Project, service: SearchService) -> None:
        self._service = service
        settings = project.settings
        self._salt = hashlib.sha256(f"{__version__} {project.id} {settings!r}".encode()).hexdigest()
        age = settings.api.max_age_s
        self._public = f"public, max-age={age}" if age else "public, no-cache"

    def headers(self, request: Request, caller: Caller, scope: str, generation: str) -> dict[str, str]:
        """Return the cache headers of an answer from a generation of a scope."""
        return {
            "etag": self._tag(request, caller, scope, generation),
            "cache-control": "private, no-cache" if caller.trusted else self._public,
            "vary": _VARY,
        }

    def unchanged(self, request: Request, caller: Caller, scope: str | None) -> Response | None:
        """Return a 304 if the caller's cached answer is current; None if a new answer is needed.

        Raises:
            InvalidScope, ScopeRefused: As `ReadableScopes.find`.
        """
        sent = request.headers.get("if-none-match")
        if not sent:
            return None
        indexed_scope = self._service.scopes.find(scope, trusted=caller.trusted)
        reader = self._service.store.open_reader(indexed_scope)
        if reader is None:
            return None
        headers = self.headers(request, caller, indexed_scope.name, reader.generation.name)
        tags = {tag.strip().removeprefix("W/") for tag in sent.split(",")}
        return Response(status_code=304, headers=headers) if headers["etag"].removeprefix("W/") in tags else None

    def _tag(self, request: Request, caller: Caller, scope: str, generation: str) -> str:
        http_scope = request.scope
        parts = (
            self._salt, self._service.engine.curation.version(), str(caller.trusted), scope, generation,
            Headers(scope=http_scope).get("accept", ""),
            http_scope["path"], http_scope["raw_path"].decode("latin-1"), http_scope["query_string"].decode("latin-1"),
        )  # fmt: skip
        return f'W/"{hashlib.sha256(chr(0).join(parts).encode("utf-8", "replace")).hexdigest()[:32]}"'
