"""`POST` and `GET /api/search`."""

from dataclasses import replace
from typing import Annotated

from fastapi import FastAPI, Query, Request
from starlette.responses import Response

from search_api.endpoints.common import BODY_ERRORS, ERRORS, caller_of, json_response, note_search
from search_api.gate.freshness import Freshness
from search_api.gate.queries import Queries
from search_api.requests import SearchParams, SearchRequest, part_of
from searchsocket.search.answer import SearchAnswer
from searchsocket.search.notes import NO_BACKEND, NOTES
from searchsocket.search.query import SearchQuery
from searchsocket.search.rerank import NOT_JUDGED
from searchsocket.serving.parts import Part

# The same query may be answered better later, so caches do not keep such an answer.
TEMPORARY = frozenset(note.code for note in (*NOTES.values(), *NOT_JUDGED.values(), NO_BACKEND))


def add_search(app: FastAPI, path: str, queries: Queries, freshness: Freshness) -> None:
    """Serve searches at `path`."""

    async def answer(query: SearchQuery, part: Part | None, scope: str | None, request: Request) -> Response:
        caller = caller_of(request)
        is_get = request.method == "GET"
        if is_get and (unchanged := freshness.unchanged(request, caller, scope)):
            return unchanged
        found = await queries.search(replace(query, sources=caller.trusted), scope, caller, part)
        note_search(request, found.scope, len(found.results))
        # What came about without the query's vector must not stay once the provider answers again.
        lasts = is_get and not any(note.code in TEMPORARY for note in found.meta.notes)
        headers = freshness.headers(request, caller, found.scope, found.meta.generation) if lasts else None
        return json_response(found, sources=caller.trusted, headers=headers)

    @app.post(
        path,
        operation_id="search",
        summary="Search the site",
        response_model=SearchAnswer,
        responses=ERRORS | BODY_ERRORS,
    )
    async def post_search(request: Request, body: SearchRequest) -> Response:
        return await answer(body.to_query(), part_of(body), body.scope, request)

    @app.get(
        path,
        operation_id="searchByUrl",
        summary="Search the site with URL parameters",
        response_model=SearchAnswer,
        responses=ERRORS,
    )
    async def get_search(request: Request, params: Annotated[SearchParams, Query()]) -> Response:
        return await answer(params.to_query(), part_of(params), params.scope, request)
