"""`GET /`: the search page over the live index, the text of one page of the index, and errors as a page."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders, QueryParams
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from search_api.endpoints.capabilities import LenientQueryString, OnAnswer, query_string_of, read_query_string
from search_api.endpoints.common import caller_of, note_search
from search_api.gate.guards import HttpLayer
from search_api.gate.queries import Queries
from search_api.page.view import Renderer, View, assets
from searchsocket.search.wire import Wire
from searchsocket.serving.answers import to_json
from searchsocket.serving.capabilities.base import Caller
from searchsocket.serving.capabilities.pages import SEARCH
from searchsocket.serving.scopes import NOTHING_PUBLIC
from searchsocket.serving.service import SearchService
from searchsocket.system.json_text import JsonObject

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)

_A_YEAR = "public, max-age=31536000, immutable"  # an asset's URL changes with its content
_LISTS = ("tag", "version", "filter")
_FIRST_LANGUAGE = re.compile(r"\s*([A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,2})\s*(?:[,;]|$)")  # of `Accept-Language`
NOTHING_INDEXED = "No scope is indexed yet. Run `searchsocket index`."


def add_home(
    app: FastAPI,
    folder: str,
    renderer: Renderer,
    service: SearchService,
    queries: Queries,
    facets: tuple[str, ...],
    on_answer: OnAnswer,
) -> None:
    """Serve the page at `/` and its assets below `folder`.

    Args:
        on_answer: See `add_capability`.
    """
    search_params = query_string_of(SEARCH, LenientQueryString)  # links have `utm_source`, `fbclid` and the like

    @app.get("/", include_in_schema=False)
    async def get_home(request: Request) -> Response:
        caller = caller_of(request)
        form = {name: value for name, value in request.query_params.multi_items() if value.strip()}
        if page := form.get("page"):
            answer = await run_in_threadpool(
                lambda: service.page(page, service.scopes.find(form.get("scope"), trusted=caller.trusted))
            )
            view = View(page=_data(answer.answer(), caller))
        elif form.get("q"):
            view = await search_view(request, form, caller)
        else:
            health = _data(await run_in_threadpool(service.health, trusted=False), caller)
            index = next(iter(health["scopes"]), None)
            if index is None:
                view = View(form, problem=NOTHING_PUBLIC)
            else:
                view = View(form, index=index) if index["generation"] else View(form, problem=NOTHING_INDEXED)
        title = await run_in_threadpool(service.site_title)
        return Response(renderer.html(replace(view, title=title)), 200, {"content-security-policy": CSP}, "text/html")

    async def search_view(request: Request, form: Mapping[str, str], caller: Caller) -> View:
        language = _FIRST_LANGUAGE.match(request.headers.get("accept-language", ""))
        query = {"preferLanguage": language[1], **form} if language else form
        filters = [value for name, value in request.query_params.multi_items() if name == "filter" and value]
        try:
            params = search_params.model_validate(
                {name: [value] if name in _LISTS else value for name, value in query.items()}
                | {"filter": filters, "facet": list(facets)}
            )
        except ValidationError as error:
            raise RequestValidationError(
                [{**item, "loc": ("query", *item["loc"])} for item in error.errors()]
            ) from error
        body = read_query_string(SEARCH, params)
        answer = await queries.run(SEARCH, body, caller)
        on_answer(request, body, answer)
        note_search(request, answer.scope, len(answer.results))
        return View(form, dict(value.split(":", 1) for value in filters), _data(answer, caller))

    @app.get(folder + "/{name}", include_in_schema=False)
    async def get_asset(name: str) -> Response:
        asset = assets().get(name)
        if asset is None:
            raise HTTPException(404)
        return Response(asset.content, media_type=asset.media_type, headers={"cache-control": _A_YEAR})


def _data(answer: Wire, caller: Caller) -> JsonObject:
    """Return an answer as the API's JSON data for this caller."""
    data: JsonObject = json.loads(to_json(answer, sources=caller.trusted))
    return data


class ErrorPages(HttpLayer):
    """Renders errors of requests for the search page as that page, for all layers inside."""

    def __init__(self, app: ASGIApp, renderer: Renderer) -> None:
        super().__init__(app)
        self._renderer = renderer

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] != "/":
            await self._app(scope, receive, send)
            return
        start: Message | None = None

        async def send_page(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and message["status"] >= 400:
                start = message
            elif start is None:
                await send(message)
            else:  # errors are one message long
                body = self._error_page(scope, message["body"])
                headers = MutableHeaders(raw=list(start["headers"]))
                headers.update(
                    {
                        "content-type": "text/html; charset=utf-8",
                        "content-length": str(len(body)),
                        "content-security-policy": CSP,
                    }
                )
                await send({**start, "headers": headers.raw})
                await send({**message, "body": body})

        await self._app(scope, receive, send_page)

    def _error_page(self, scope: Scope, body: bytes) -> bytes:
        form = {name: value for name, value in QueryParams(scope["query_string"]).multi_items() if value.strip()}
        message = json.loads(body)["error"]["message"]
        return self._renderer.html(View(form, problem=f"{message[:1].upper()}{message[1:]}."))
