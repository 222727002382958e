"""`GET /api/related`."""

from typing import Annotated

from fastapi import FastAPI, Query, Request
from starlette.responses import Response

from search_api.endpoints.common import ERRORS, caller_of, json_response
from search_api.gate.freshness import Freshness
from search_api.gate.queries import Queries
from search_api.requests import RelatedParams, part_of
from searchsocket.search.answer import RelatedAnswer


def add_related(app: FastAPI, path: str, queries: Queries, freshness: Freshness) -> None:
    """Serve the neighbours of pages at `path`."""

    @app.get(
        path,
        operation_id="relatedPages",
        summary="Get related pages",
        response_model=RelatedAnswer,
        responses=ERRORS,
    )
    async def get_related(request: Request, params: Annotated[RelatedParams, Query()]) -> Response:
        caller = caller_of(request)
        if unchanged := freshness.unchanged(request, caller, params.scope):
            return unchanged
        found = await queries.related(params.url, params.top_k, params.scope, caller, part_of(params))
        headers = freshness.headers(request, caller, found.scope, found.generation)
        return json_response(found, sources=caller.trusted, headers=headers)
