"""Texts of the site for agents at their usual addresses: `GET /llms.txt`, `/llms-full.txt` and `/page.md`."""

from collections.abc import Callable
from functools import partial

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import Response

from search_api.endpoints.common import caller_of
from search_api.extension import Added, AppContext
from searchsocket.extensions.llms.index import INDEX
from searchsocket.extensions.llms.texts import AgentText, AgentTexts
from searchsocket.types import Scope

_LISTS = r"llms.txt", r"llms-full.txt", r"llms-full-{part:int}.txt"


def add_endpoints(context: AppContext) -> Added:
    """Serve the lists at the root and in each folder, and every page at its address with `.md`."""
    return Added(any_path=partial(_add_texts, context))


def _add_texts(context: AppContext) -> None:
    app, service, freshness = context.app, context.service, context.freshness
    texts = AgentTexts(context.project, service)

    async def answer(
        request: Request, scope: str | None, media_type: str, make: Callable[[Scope], AgentText | None]
    ) -> Response:
        caller = caller_of(request)
        if unchanged := freshness.unchanged(request, caller, scope):
            return unchanged
        text = await run_in_threadpool(lambda: make(service.scopes.find(scope, trusted=caller.trusted)))
        if text is None:
            raise HTTPException(404)
        headers = freshness.headers(request, caller, text.scope, text.generation)
        base = service.site_of(text.scope).path
        links = [f'<{base}/{INDEX}>; rel="describedby"; type="text/plain"']
        if text.canonical:
            links.insert(0, f'<{text.canonical}>; rel="canonical"')
        headers["link"] = ", ".join(link for link in links if link.isascii())
        return Response(text.data, headers=headers, media_type=media_type)

    async def get_list(request: Request, scope: str | None = None) -> Response:
        path = request.url.path
        return await answer(request, scope, "text/plain", lambda named_scope: texts.file(path, named_scope))

    async def get_markdown(request: Request, scope: str | None = None) -> Response:
        raw = request.scope["raw_path"].partition(b"?")[0].decode("latin-1")
        return await answer(request, scope, "text/markdown", lambda named_scope: texts.page(raw, named_scope))

    for name in _LISTS:
        app.get(f"/{name}", include_in_schema=False)(get_list)
        app.get(f"/{{folder:path}}/{name}", include_in_schema=False)(get_list)
    app.get("/{page:path}.md", include_in_schema=False)(get_markdown)
