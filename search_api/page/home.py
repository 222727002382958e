"""`GET /`: the search page over the live index, the text of one page of the index, and errors as a page."""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING
from urllib.parse import urlencode

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
from searchsocket.search.wire import Wire
from searchsocket.serving.answers import to_json
from searchsocket.serving.capabilities.base import Caller
from searchsocket.serving.capabilities.pages import SEARCH
from searchsocket.serving.scopes import NOTHING_PUBLIC
from searchsocket.serving.service import SearchService
from searchsocket.system.json_text import JsonObject

if TYPE_CHECKING:
    from jinja2 import Template

FILES = files("search_api.page") / "files"
_TYPES = {
    "search.css": "text/css",
    "search.js": "text/javascript",
    "icon.svg": "image/svg+xml",
    "docs.css": "text/css",
    "owner.css": "text/css",
    "owner.js": "text/javascript",
}
_UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60))

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)

_A_YEAR = "public, max-age=31536000, immutable"  # an asset's URL changes with its content
_LISTS = ("tag", "version", "filter")
_FIRST_LANGUAGE = re.compile(r"\s*([A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,2})\s*(?:[,;]|$)")  # of `Accept-Language`
NOTHING_INDEXED = "No scope is indexed yet. Run `searchsocket index`."


@dataclass(frozen=True, slots=True)
class Asset:
    """A file of the page; its version in the URL changes with its content."""

    content: bytes
    media_type: str

    @property
    def version(self) -> str:
        return hashlib.sha256(self.content).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class View:
    """Data of one page; empty parts are left out."""

    form: Mapping[str, str] = field(default_factory=dict)  # the form, by field
    filters: Mapping[str, str] = field(default_factory=dict)  # the value chosen of each facet
    answer: JsonObject | None = None  # of a search, as in the API's JSON
    index: JsonObject | None = None  # the health of the default scope, likewise
    problem: str = ""  # why there is no answer
    page: JsonObject | None = None  # one page of the index, likewise
    title: str = ""  # of the site; "" = the project's id


@cache
def assets() -> Mapping[str, Asset]:
    """The files of the page by name."""
    return {name: Asset((FILES / name).read_bytes(), kind) for name, kind in _TYPES.items()}


def asset_links(folder: str) -> dict[str, str]:
    """Links to the files of the page, below a folder, by name."""
    return {name: f"{folder}/{name}?v={asset.version}" for name, asset in assets().items()}


@cache
def read_template(name: str, **helpers: Callable[..., object]) -> "Template":
    """Compile a file of the page, once per process, at its first request: it takes tens of milliseconds.

    Args:
        helpers: Functions that the file may call, also as filters.
    """
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters.update(helpers)
    environment.globals.update(helpers)
    return environment.from_string((FILES / name).read_text(encoding="utf-8"))


class Renderer:
    """Renders the page of one project."""

    def __init__(
        self,
        project: str,
        *,
        site: str,
        api: str,
        folder: str,
        facets: tuple[str, ...],
        scopes_of: Callable[[], tuple[str, ...]],
        health: str = "",
        beacon: str = "",
    ) -> None:
        """Everything that all views share.

        Args:
            scopes_of: Returns the public scopes, which may change.
            site: Scheme and host of the indexed site; "" = unknown.
            api, folder: The search endpoint and the folder of the assets, as links from the page.
            health: Link to the health endpoint, if an open page must follow the live generation; "" = it need not.
            beacon: Link to the endpoint that records opened results; "" = they are not recorded.
        """
        self._shared = {
            "site": site,
            "api": api,
            "health": health,
            "beacon": beacon,
            "facets": facets,
            "files": asset_links(folder),
        }
        self._project = project
        self._scopes_of = scopes_of

    def html(self, view: View) -> bytes:
        """The page, in UTF-8."""
        form = view.form
        offset = int(form["offset"]) if form.get("offset", "").isdecimal() else 0
        further = {**form, "offset": str(offset + len(view.answer["results"]))} if view.answer else {}
        template = read_template("search.html", ago=ago, short=short_revision, range_of=range_of)
        text = template.render(
            self._shared | asdict(view),
            project=view.title or self._project,
            scopes=self._scopes_of(),
            q=form.get("q", ""),
            scope=form.get("scope", ""),
            is_filtered=bool(form.keys() - {"q", "scope", "offset"}),
            offset=offset,
            further=f"?{urlencode(further)}",
        )
        return text.encode("utf-8", "replace")


def short_revision(revision: str) -> str:
    """Return the first 8 characters of a commit, with its `-dirty`."""
    commit, dash, dirty = revision.partition("-")
    return f"{commit[:8]}{dash}{dirty}"


def range_of(offset: int, count: int, total: int) -> str:
    """The range of the shown results: `11-20 of the 34 best pages`."""
    if offset == 0 and count == total:
        return f"{total} {'page' if total == 1 else 'pages'}"
    return f"{offset + 1}–{offset + count} of the {total} best pages"


def ago(seconds: float) -> str:
    """A duration since a time, in its largest unit."""
    for unit, length in _UNITS:
        if count := int(seconds // length):
            return f"{count} {unit}{'' if count == 1 else 's'} ago"
    return "just now"


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
