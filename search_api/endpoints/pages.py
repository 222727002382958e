"""`GET /api/pages/{path}`, and the same by `GET /api/pages?url=`."""

import re
from typing import Annotated

from fastapi import FastAPI, Header, Path, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from search_api.endpoints.common import ERRORS, caller_of, json_response
from search_api.gate.freshness import Freshness
from search_api.requests import NO_NUL, PathPrefix, ScopeName
from searchsocket.serving.pages import FoundPage, PageAnswer
from searchsocket.serving.service import SearchService

_MARKDOWN = "text/markdown"  # told in words: in clients made from types, each page would be an object or a text
ScopeQuery = Annotated[ScopeName | None, Query()]
Accept = Annotated[str, Header(include_in_schema=False)]
PagePath = Annotated[
    str,
    Path(
        description="Path of the page, as results name it. Its slashes may be encoded, as clients do that were made "
        "from this description.",
        examples=["docs/start"],
        json_schema_extra=NO_NUL,
    ),
]
PageUrl = Annotated[
    PathPrefix, Query(min_length=1, description="URL path of the page, as results name it.", examples=["/docs/start"])
]


def add_pages(app: FastAPI, path: str, service: SearchService, freshness: Freshness) -> None:
    """Serve pages of the index at `path`, by their address, and below it."""
    below = f"{path}/"
    # The path was matched decoded; each of its characters is one of those that were sent, or one escape.
    sent_path = re.compile(rb"(?:%%[0-9A-Fa-f]{2}|.){%d}" % len(below), re.DOTALL)

    async def answer(request: Request, scope: str | None, name: str, *, is_segment: bool, markdown: bool) -> Response:
        caller = caller_of(request)
        if unchanged := freshness.unchanged(request, caller, scope):
            return unchanged

        def read() -> FoundPage:
            return service.page(name, service.scopes.find(scope, trusted=caller.trusted), is_segment=is_segment)

        found = await run_in_threadpool(read)
        headers = freshness.headers(request, caller, found.generation.scope, found.generation.name)
        if markdown:
            text = found.markdown(sources=caller.trusted)
            return Response(text.encode("utf-8", "replace"), headers=headers, media_type=_MARKDOWN)
        return json_response(found.answer(), sources=caller.trusted, headers=headers)

    @app.get(
        path,
        operation_id="getPageByUrl",
        summary="One page, as the index saw it, by its address",
        description="As JSON; as Markdown when `Accept` names text/markdown or the address ends with `.md`.",
        response_model=PageAnswer,
        responses=ERRORS,
    )
    async def get_page_by_url(
        request: Request, url: PageUrl, scope: ScopeQuery = None, accept: Accept = ""
    ) -> Response:
        return await answer(request, scope, url, is_segment=False, markdown=_is_markdown(url, accept))

    @app.get(
        below + "{page:path}",
        operation_id="getPage",
        summary="One page, as the index saw it",
        description="As JSON; as Markdown when `Accept` names text/markdown or the path ends with `.md`.",
        response_model=PageAnswer,
        responses=ERRORS,
    )
    async def get_page(request: Request, page: PagePath, scope: ScopeQuery = None, accept: Accept = "") -> Response:
        # The page as it was sent: decoded once too often, `%2541` would mean another one.
        raw = request.scope["raw_path"].partition(b"?")[0]
        written = sent_path.sub(b"", raw, count=1).decode("latin-1")
        return await answer(request, scope, written, is_segment=True, markdown=_is_markdown(page, accept))


def _is_markdown(name: str, accept: str) -> bool:
    return _MARKDOWN in accept.lower() or name.endswith(".md")
