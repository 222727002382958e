"""The endpoints of the capabilities: `POST` with a body, `GET` with a query string; and pages, also by their path.

A query string has the fields of the body, with lists as repeated parameters.
"""

import re
from collections.abc import Callable, Container
from functools import partial
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import FastAPI, Header, Path, Query, Request
from pydantic import BaseModel, ConfigDict, create_model
from pydantic.alias_generators import to_camel
from starlette.responses import Response

from search_api.endpoints.common import BODY_ERRORS, ERRORS, Freshness, caller_of, json_response, note_search
from search_api.gate.queries import Queries
from searchsocket.errors import ScopeRefused
from searchsocket.serving.capabilities.base import A, AnyCapability, Capability, R
from searchsocket.serving.capabilities.fields import NO_NUL
from searchsocket.serving.capabilities.pages import PAGE, PageRequest, read_page

OnAnswer = Callable[[Request, Any, Any], None]

_MARKDOWN = "text/markdown"  # not in the schema: in generated clients, each page would be an object or a text
Accept = Annotated[str, Header(include_in_schema=False)]
PagePath = Annotated[
    str,
    Path(
        description="URL path of the page, as in `url` of a result. Its slashes may be encoded.",
        examples=["docs/start"],
        json_schema_extra=NO_NUL,
    ),
]


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


def add_pages(app: FastAPI, path: str, queries: Queries, freshness: Freshness) -> None:
    """Serve pages of the index at `path`, by their address, and below it."""
    below = f"{path}/"
    # The router matches the decoded path; each of its characters was sent as itself or as one escape.
    sent_path = re.compile(rb"(?:%%[0-9A-Fa-f]{2}|.){%d}" % len(below), re.DOTALL)

    async def answer(request: Request, body: PageRequest, *, is_segment: bool, markdown: bool) -> Response:
        caller = caller_of(request)
        if unchanged := freshness.unchanged(request, caller, body.scope):
            return unchanged
        read = partial(read_page, queries.services, body, caller, is_segment=is_segment)
        page, part = await queries.run_at(PAGE.cost(queries.services, body, caller), read, caller)
        headers = freshness.headers(request, caller, page.generation.scope, page.generation.name)
        if markdown:
            text = page.markdown(part, sources=caller.trusted)
            more = _link(request, part.token) if part and part.token else {}
            return Response(text.encode("utf-8", "replace"), headers=headers | more, media_type=_MARKDOWN)
        return json_response(page.answer(part), sources=caller.trusted, headers=headers)

    async def get_page_by_url(request: Request, params: Any, accept: Accept = "") -> Response:
        body = read_query_string(PAGE, params)
        return await answer(request, body, is_segment=False, markdown=_is_markdown(body.url, accept))

    async def get_page(request: Request, page: PagePath, params: Any, accept: Accept = "") -> Response:
        # Use the path as sent: decoded twice, `%2541` would name another page.
        raw = request.scope["raw_path"].partition(b"?")[0]
        url = sent_path.sub(b"", raw, count=1).decode("latin-1")
        body = read_query_string(PAGE, params, url=url)
        return await answer(request, body, is_segment=True, markdown=_is_markdown(page, accept))

    get_page_by_url.__annotations__["params"] = Annotated[query_string_of(PAGE, LenientQueryString), Query()]
    get_page.__annotations__["params"] = Annotated[query_string_of(PAGE, LenientQueryString, ["url"]), Query()]
    for address, endpoint, operation_id, words in (
        (path, get_page_by_url, "getPageByUrl", "URL"),
        (below + "{page:path}", get_page, "getPage", "path"),
    ):
        app.get(
            address,
            operation_id=operation_id,
            summary=f"Get a page by {words}",
            description=f"Returns JSON, or Markdown if `Accept` contains text/markdown or the {words} ends with `.md`.",
            response_model=PAGE.answer,
            responses=ERRORS,
        )(endpoint)


def _link(request: Request, token: str) -> dict[str, str]:
    """Return the `Link` header with the next part's token, for which Markdown has no field."""
    parameters = [(name, value) for name, value in request.query_params.multi_items() if name in ("url", "scope")]
    return {"link": f'<?{urlencode([*parameters, ("continuationToken", token)])}>; rel="next"'}


def _is_markdown(name: str, accept: str) -> bool:
    return _MARKDOWN in accept.lower() or name.endswith(".md")
