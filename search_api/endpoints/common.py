"""What endpoints share."""

from fastapi import Request
from pydantic import BaseModel
from starlette.responses import Response

from search_api.tiers import Caller


def caller_of(request: Request) -> Caller:
    """Who asks, as `CallerGuard` found out."""
    caller: Caller = request.state.caller
    return caller


def json_response(model: BaseModel, status: int = 200) -> Response:
    """A model as JSON, written once and without being validated again."""
    return Response(model.model_dump_json(by_alias=True), status, media_type="application/json")
