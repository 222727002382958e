"""Errors as callers see them: a stable code, the right status, and never a word of what went on inside."""

import json
from collections.abc import Sequence

from starlette.responses import Response

from searchsocket.errors import InvalidRequest, InvalidScope, PageNotFound, RateLimited, SearchSocketError


class ScopeRefused(InvalidScope):
    """The scope is not one that this caller may read; whether it exists is not told."""


class PageMissing(PageNotFound):
    """The live index holds no such page."""

    def __init__(self, path: str, suggestions: Sequence[str]) -> None:
        super().__init__(f"there is no page {path[:200]!r}" + ("; see the suggestions" if suggestions else ""))
        self.suggestions = tuple(suggestions)


class Unauthorized(SearchSocketError):
    """A key was sent, and it is wrong."""

    code = "UNAUTHORIZED"


class Busy(SearchSocketError):
    """So much is being answered already that this must wait."""

    code = "BUSY"
    retryable = True
    retry_after_s = 1


_STATUS = {
    "INVALID_REQUEST": 400,
    "INVALID_SCOPE": 400,
    "UNAUTHORIZED": 401,
    "SCOPE_NOT_INDEXED": 404,
    "PAGE_NOT_FOUND": 404,
    "RATE_LIMITED": 429,
    "BUSY": 503,
    "CONFIG_MISSING": 503,
    "CONFIG_INVALID": 503,
    "EMBEDDING_MODEL_MISMATCH": 503,
    "EMBEDDER_UNAVAILABLE": 503,
    "VECTOR_BACKEND_UNAVAILABLE": 503,
    "INDEX_CORRUPT": 503,
    "STATE_UNAVAILABLE": 503,
    "PERMISSION_DENIED": 503,
    "PAGE_TEXTS_MISSING": 503,
}

# These say only what the caller sent or may know; of all others the words stay inside.
_OWN_WORDS = (Busy, InvalidRequest, PageNotFound, RateLimited, Unauthorized)
_PUBLIC = {
    "SCOPE_NOT_INDEXED": "nothing is indexed for this scope",
    "CONFIG_MISSING": "the search service is not set up completely",
    "CONFIG_INVALID": "the search service is not set up correctly",
    "EMBEDDING_MODEL_MISMATCH": "the index was made with another embedding model; the site must be indexed again",
    "EMBEDDER_UNAVAILABLE": "the embedding service cannot be reached; try again later",
    "VECTOR_BACKEND_UNAVAILABLE": "the search index cannot be reached; try again later",
    "INDEX_CORRUPT": "the search index cannot be read",
    "PAGE_TEXTS_MISSING": "the index holds no page texts yet; the site must be indexed again",
    "STATE_UNAVAILABLE": "the search service cannot read its data; try again later",
    "PERMISSION_DENIED": "the search service may not read its data; whoever runs it must let it",
}
_INTERNAL = "something went wrong inside the search service"
_MAX_MESSAGE_CHARS = 500


def status_of(error: SearchSocketError) -> int:
    """The HTTP status of an error; 500 for what no caller should meet."""
    return 403 if isinstance(error, ScopeRefused) else _STATUS.get(error.code, 500)


def public_message(error: SearchSocketError) -> str:
    """What a caller may read of an error."""
    if isinstance(error, _OWN_WORDS):
        return str(error)[:_MAX_MESSAGE_CHARS]
    return _PUBLIC.get(error.code, _INTERNAL)


def error_response(error: SearchSocketError, headers: dict[str, str] | None = None) -> Response:
    """The response for an error that this service knows."""
    code = error.code if status_of(error) != 500 else "INTERNAL_ERROR"
    if isinstance(error, Busy):
        headers = {"retry-after": str(error.retry_after_s)} | (headers or {})
    more = {"suggestions": error.suggestions} if isinstance(error, PageMissing) else {}
    return problem(status_of(error), code, public_message(error), headers, **more)


def problem(
    status: int, code: str, message: str, headers: dict[str, str] | None = None, **more: Sequence[str]
) -> Response:
    """`{"error": {"code", "message"}}` with a status."""
    body = json.dumps({"error": {"code": code, "message": message, **more}}, ensure_ascii=False)
    # Lone surrogates of a caller's own words cannot be sent back.
    return Response(body.encode("utf-8", "replace"), status, headers, "application/json")


BUSY = bytes(error_response(Busy("too many connections are open; try again")).body)


def internal_error() -> Response:
    """The answer to a defect."""
    return problem(500, "INTERNAL_ERROR", _INTERNAL)
