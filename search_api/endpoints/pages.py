"""`GET /api/pages/{path}`, and the same by `GET /api/pages?url=`."""

import re
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Depends, FastAPI, Header, Path, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from search_api.endpoints.common import ERRORS, caller_of, json_response
from search_api.gate.freshness import Freshness
from search_api.gate.queries import Queries
from search_api.requests import NO_NUL, ContinuationToken, MaxTokens, PathPrefix, ScopeName
from searchsocket.serving.page_parts import page_part
from searchsocket.serving.pages import FoundPage, PageAnswer, PagePart
from searchsocket.serving.parts import Part
from searchsocket.serving.service import SearchService

_MARKDOWN = "text/markdown"  # told in words: in clients made from types, each page would be an object or a text
ScopeQuery = Annotated[ScopeName | None, Query()]
MaxTokensQuery = Annotated[
    MaxTokens | None,
    Query(
        alias="maxTokens",
        description="Approximate maximum size of the text in tokens; sections stay whole. Default: no limit.",
    ),
]
TokenQuery = Annotated[
    ContinuationToken,
    Query(alias="continuationToken", description="`continuationToken` of the previous answer for the same page."),
]


async def _asked_part(max_tokens: MaxTokensQuery = None, continuation_token: TokenQuery = "") -> Part | None:
    return Part(max_tokens, continuation_token) if max_tokens or continuation_token else None


AskedPart = Annotated[Part | None, Depends(_asked_part)]
Accept = Annotated[str, Header(include_in_schema=False)]
PagePath = Annotated[
    str,
    Path(
        description="URL path of the page, as in `url` of a result. Its slashes may be encoded.",
        examples=["docs/start"],
        json_schema_extra=NO_NUL,
    ),
]
PageUrl = Annotated[
    PathPrefix,
    Query(min_length=1, description="URL path of the page, as in `url` of a result.", examples=["/docs/start"]),
]


def add_pages(app: FastAPI, path: str, service: SearchService, queries: Queries, freshness: Freshness) -> None:
    """Serve pages of the index at `path`, by their address, and below it."""
    below = f"{path}/"
    # The path was matched decoded; each of its characters is one of those that were sent, or one escape.
    sent_path = re.compile(rb"(?:%%[0-9A-Fa-f]{2}|.){%d}" % len(below), re.DOTALL)

    async def answer(
        request: Request, scope: str | None, name: str, part: Part | None, *, is_segment: bool, markdown: bool
    ) -> Response:
        caller = caller_of(request)
        if unchanged := freshness.unchanged(request, caller, scope):
            return unchanged

        def read() -> tuple[FoundPage, PagePart | None]:
            found = service.page(name, service.scopes.find(scope, trusted=caller.trusted), is_segment=is_segment)
            return found, page_part(found, part, service.continuations) if part else None

        # A part is counted, and how long the page is is not known before.
        found, some = await (queries.costly(read, caller) if part else run_in_threadpool(read))
        headers = freshness.headers(request, caller, found.generation.scope, found.generation.name)
        if markdown:
            text = found.markdown(some, sources=caller.trusted)
            more = _link(request, some.token) if some and some.token else {}
            return Response(text.encode("utf-8", "replace"), headers=headers | more, media_type=_MARKDOWN)
        return json_response(found.answer(some), sources=caller.trusted, headers=headers)

    @app.get(
        path,
        operation_id="getPageByUrl",
        summary="Get a page by URL",
        description="Returns JSON, or Markdown if `Accept` contains text/markdown or the URL ends with `.md`.",
        response_model=PageAnswer,
        responses=ERRORS,
    )
    async def get_page_by_url(
        request: Request,
        url: PageUrl,
        part: AskedPart,
        scope: ScopeQuery = None,
        accept: Accept = "",
    ) -> Response:
        return await answer(request, scope, url, part, is_segment=False, markdown=_is_markdown(url, accept))

    @app.get(
        below + "{page:path}",
        operation_id="getPage",
        summary="Get a page by path",
        description="Returns JSON, or Markdown if `Accept` contains text/markdown or the path ends with `.md`.",
        response_model=PageAnswer,
        responses=ERRORS,
    )
    async def get_page(
        request: Request,
        page: PagePath,
        part: AskedPart,
        scope: ScopeQuery = None,
        accept: Accept = "",
    ) -> Response:
        # The page as it was sent: decoded once too often, `%2541` would mean another one.
        raw = request.scope["raw_path"].partition(b"?")[0]
        written = sent_path.sub(b"", raw, count=1).decode("latin-1")
        return await answer(request, scope, written, part, is_segment=True, markdown=_is_markdown(page, accept))


def _link(request: Request, token: str) -> dict[str, str]:
    """The header that says where Markdown goes on, which has no field for a token."""
    kept = [(name, value) for name, value in request.query_params.multi_items() if name in ("url", "scope")]
    return {"link": f'<?{urlencode([*kept, ("continuationToken", token)])}>; rel="next"'}


def _is_markdown(name: str, accept: str) -> bool:
    return _MARKDOWN in accept.lower() or name.endswith(".md")
