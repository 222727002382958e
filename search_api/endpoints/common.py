"""What endpoints share."""

from typing import Any

from fastapi import Request
from pydantic import BaseModel
from pydantic_core import to_json
from starlette.responses import Response

from search_api.gate.tiers import Caller
from search_api.schemas import error_docs

ERRORS = error_docs(
    s400="The request is malformed or beyond a limit.",
    s401="A key was sent, and it is wrong.",
    s403="The scope cannot be read without a key.",
    s404="Nothing is indexed for the scope, or there is no such page; `suggestions` may name the one that is meant.",
    s429="Too many requests; see Retry-After.",
    s503="The index or the embedding service cannot answer now.",
)


def caller_of(request: Request) -> Caller:
    """Who asks, as `CallerGuard` found out."""
    caller: Caller = request.state.caller
    return caller


def json_response(body: BaseModel | dict[str, Any], status: int = 200) -> Response:
    """A body as JSON, written once and without being validated again."""
    return Response(to_json(body, by_alias=True, inf_nan_mode="null"), status, media_type="application/json")
