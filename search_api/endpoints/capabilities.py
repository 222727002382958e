"""The endpoints of the capabilities: `POST` with a body, `GET` with a query string.

A query string has the fields of the body, with lists as repeated parameters.
"""

from collections.abc import Callable, Container
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request
from pydantic import BaseModel, ConfigDict, create_model
from pydantic.alias_generators import to_camel
from starlette.responses import Response

from search_api.endpoints.common import BODY_ERRORS, ERRORS, Freshness, caller_of, json_response, note_search
from search_api.gate.queries import Queries
from searchsocket.errors import ScopeRefused
from searchsocket.serving.capabilities.base import A, AnyCapability, Capability, R

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


class QueryString(BaseModel):
    """Base of the query strings: everything in them is text."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, populate_by_name=True)


class LenientQueryString(QueryString):
    """Ignores parameters that it does not know."""

    model_config = ConfigDict(extra="ignore")


def query_string_of(
    capability: AnyCapability, base: type[QueryString] = QueryString, without: Container[str] = ()
) -> type[QueryString]:
    """Return the model of a capability's query string, without some fields."""
    fields: dict[str, Any] = {}
    for name, info in capability.request.model_fields.items():
        if name in without:
            continue
        parameter, kind, default = capability.http.parameters.get(name, (name, info.annotation, info))
        fields[parameter] = (kind, default)
    return create_model(f"{capability.request.__name__}Params", __base__=base, **fields)


def read_query_string(capability: Capability[R, A], params: QueryString, **others: object) -> R:
    """Build the request from a query string and other fields."""
    spelling = {name: parameter for name, (parameter, _, _) in capability.http.parameters.items()}
    names = capability.request.model_fields.keys() - others.keys()
    values = {name: getattr(params, spelling.get(name, name)) for name in names}
    return capability.request.model_construct(None, **values, **others)
