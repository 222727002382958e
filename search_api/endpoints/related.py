"""`GET /api/related`."""

from typing import Annotated

from fastapi import FastAPI, Query, Request
from pydantic import ConfigDict, Field
from starlette.responses import Response

from search_api.endpoints.common import ERRORS, caller_of, json_response
from search_api.gate.queries import Queries
from search_api.schemas import PathPrefix, RelatedResponse, ScopeName, TopK, Wire


class RelatedParams(Wire):
    """The query string."""

    model_config = ConfigDict(extra="forbid")

    url: Annotated[PathPrefix, Field(min_length=1, description="URL path of the page.", examples=["/docs/start"])]
    top_k: TopK = 5
    scope: ScopeName | None = None


def add_related(app: FastAPI, path: str, queries: Queries) -> None:
    """Serve the neighbours of pages at `path`."""

    @app.get(
        path,
        operation_id="relatedPages",
        summary="Pages near a page",
        response_model=RelatedResponse,
        responses=ERRORS,
    )
    async def get_related(request: Request, params: Annotated[RelatedParams, Query()]) -> Response:
        caller = caller_of(request)
        found = await queries.related(params.url, params.top_k, params.scope, caller)
        return json_response(RelatedResponse.of(found, sources=caller.trusted))
