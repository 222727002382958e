"""`POST` and `GET /api/find`."""

from typing import Annotated

from fastapi import FastAPI, Query, Request
from starlette.responses import Response

from search_api.endpoints.common import BODY_ERRORS, ERRORS, caller_of, json_response, note_search
from search_api.find_requests import FindParams, FindRequest
from search_api.gate.freshness import Freshness
from search_api.gate.queries import Queries
from searchsocket.search.occurrences.answer import FindAnswer, FindQuery


def add_find(app: FastAPI, path: str, queries: Queries, freshness: Freshness) -> None:
    """Serve every occurrence of words at `path`."""

    async def answer(query: FindQuery, scope: str | None, request: Request) -> Response:
        caller = caller_of(request)
        is_get = request.method == "GET"
        if is_get and (unchanged := freshness.unchanged(request, caller, scope)):
            return unchanged
        found = await queries.find(query, scope, caller)
        note_search(request, found.scope, len(found.occurrences))
        headers = freshness.headers(request, caller, found.scope, found.generation) if is_get else None
        return json_response(found, sources=caller.trusted, headers=headers)

    @app.post(
        path,
        operation_id="find",
        summary="Find every occurrence of words or a phrase",
        response_model=FindAnswer,
        responses=ERRORS | BODY_ERRORS,
    )
    async def post_find(request: Request, body: FindRequest) -> Response:
        return await answer(body.to_query(), body.scope, request)

    @app.get(
        path,
        operation_id="findByUrl",
        summary="Find every occurrence with URL parameters",
        response_model=FindAnswer,
        responses=ERRORS,
    )
    async def get_find(request: Request, params: Annotated[FindParams, Query()]) -> Response:
        return await answer(params.to_query(), params.scope, request)
