"""HTTP responses for errors: a stable code and a status, without internal details."""

import json
import math
from collections.abc import Sequence

from starlette.responses import Response

from searchsocket.errors import Busy, PageMissing, ScopeRefused, SearchSocketError, VectorBackendUnavailable
from searchsocket.serving.public_words import INTERNAL, public_message

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
    "STATE_UNAVAILABLE": 503,
    "PERMISSION_DENIED": 503,
    "PAGE_TEXTS_MISSING": 503,
}


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
    body = json.dumps({"error": {"code": code, "message": message, **more}}, ensure_ascii=False)
    # The message may quote lone surrogates from the request, which UTF-8 cannot encode.
    return Response(body.encode("utf-8", "replace"), status, headers, "application/json")


BUSY = bytes(error_response(Busy("too many connections are open; try again")).body)


def internal_error() -> Response:
    """The response after an unexpected exception."""
    return problem(500, "INTERNAL_ERROR", INTERNAL)
