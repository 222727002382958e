"""`GET /api/pages/{path}`, and the same by `GET /api/pages?url=`."""

import re
from functools import partial
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import FastAPI, Header, Path, Query, Request
from starlette.responses import Response

from search_api.endpoints.capabilities import LenientQueryString, query_string_of, read_query_string
from search_api.endpoints.common import ERRORS, Freshness, caller_of, json_response
from search_api.gate.queries import Queries
from searchsocket.serving.capabilities.fields import NO_NUL
from searchsocket.serving.capabilities.pages import PAGE, PageRequest, read_page

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
