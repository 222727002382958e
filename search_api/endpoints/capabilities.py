"""The endpoints of the capabilities: `POST` with a body, `GET` with a query string."""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request
from starlette.responses import Response

from search_api.endpoints.common import BODY_ERRORS, ERRORS, caller_of, json_response, note_search
from search_api.gate.freshness import Freshness
from search_api.gate.queries import Queries
from search_api.query_string import query_string_of, read_query_string
from searchsocket.errors import ScopeRefused
from searchsocket.serving.capabilities.base import AnyCapability

OnAnswer = Callable[[Request, Any, Any], None]


def add_capability(
    app: FastAPI,
    path: str,
    capability: AnyCapability,
    queries: Queries,
    freshness: Freshness,
    on_answer: OnAnswer = lambda *_: None,
) -> None:
    """Serve a capability at `path`.

    Args:
        on_answer: Called with each request and its answer; the answer is None after a 304.
    """

    async def respond(request: Request, body: Any) -> Response:
        caller = caller_of(request)
        if capability.private and not caller.trusted:
            raise ScopeRefused(f"{capability.private} needs the key")
        is_get = request.method == "GET"
        if is_get and (unchanged := freshness.unchanged(request, caller, body.scope)):
            on_answer(request, body, None)
            return unchanged
        answer = await queries.run(capability, body, caller)
        on_answer(request, body, answer)
        if capability.hits:
            note_search(request, getattr(answer, "scope", body.scope) or "", capability.hits(answer))
        current = capability.generation(answer) if is_get else None
        headers = freshness.headers(request, caller, *current) if current else None
        return json_response(answer, sources=caller.trusted, headers=headers)

    async def post(request: Request, body: Any) -> Response:
        return await respond(request, body)

    async def get(request: Request, params: Any) -> Response:
        return await respond(request, read_query_string(capability, params))

    post.__annotations__["body"] = capability.request
    get.__annotations__["params"] = Annotated[query_string_of(capability), Query()]
    for method, endpoint, names in (("POST", post, capability.http.post), ("GET", get, capability.http.get)):
        if names:
            app.add_api_route(
                path,
                endpoint,
                methods=[method],
                operation_id=names[0],
                summary=names[1],
                description="Needs the key." if capability.private else None,
                response_model=capability.answer,
                responses=ERRORS | (BODY_ERRORS if method == "POST" else {}),
            )
