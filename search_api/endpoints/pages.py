"""`GET /api/pages/{path}`."""

import re
from typing import Annotated, Any

from fastapi import FastAPI, Header, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from search_api.endpoints.common import ERRORS, caller_of, json_response
from search_api.requests import ScopeName
from searchsocket.serving.pages import FoundPage, PageAnswer
from searchsocket.serving.service import SearchService

_MARKDOWN = "text/markdown"
_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"content": {_MARKDOWN: {"schema": {"type": "string"}}}},
    **ERRORS,
}


def add_pages(app: FastAPI, path: str, service: SearchService) -> None:
    """Serve mirror pages below `path`, which ends with a slash."""
    # The path was matched decoded; each of its characters is one of those that were sent, or one escape.
    sent_path = re.compile(rb"(?:%%[0-9A-Fa-f]{2}|.){%d}" % len(path), re.DOTALL)

    @app.get(
        path + "{page:path}",
        operation_id="getPage",
        summary="One page, as the index saw it",
        description="As JSON; as Markdown when `Accept` names text/markdown or the path ends with `.md`.",
        response_model=PageAnswer,
        responses=_RESPONSES,
    )
    async def get_page(
        request: Request,
        page: str,
        scope: Annotated[ScopeName | None, Query()] = None,
        accept: Annotated[str, Header(include_in_schema=False)] = "",
    ) -> Response:
        caller = caller_of(request)
        # The page as it was sent: decoded once too often, `%2541` would mean another one.
        raw = request.scope["raw_path"].partition(b"?")[0]
        written = sent_path.sub(b"", raw, count=1).decode("latin-1")

        def read() -> FoundPage:
            return service.page(written, service.scopes.find(scope, trusted=caller.trusted))

        found = await run_in_threadpool(read)
        if _MARKDOWN in accept.lower() or page.endswith(".md"):
            text = found.markdown(sources=caller.trusted)
            return Response(text.encode("utf-8", "replace"), media_type=_MARKDOWN)
        return json_response(found.answer(), sources=caller.trusted)
