"""Several projects in one service: each as it would be alone below `/sites/NAME`, and one search over all of them.

The search over all sends the request to each project's own application, so keys, limits and the demand log of each
project apply. A project that does not answer is left out, and the answer has a note.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlencode

from fastapi import FastAPI, Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from search_api.app import create_app
from search_api.errors import problem
from search_api.gate.stack import add_guards
from search_api.gate.tiers import TierRules
from search_api.merged_answers import SiteReply, merged_answer, unavailable
from search_api.page.home import CSP
from search_api.page.view import Renderer, View
from searchsocket.errors import ConfigError, SearchSocketError
from searchsocket.project.project import Project
from searchsocket.search.bounds import MAX_TOP_K
from searchsocket.serving.pulled import artifacts_address, open_pulled
from searchsocket.serving.service import OnError, SearchService
from searchsocket.web.urls.site import site_origin

PREFIX = "/sites/"
TIMEOUT_S = 5.0  # of one project; the others' answers wait for it
_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_OWN_HEADERS = frozenset({b"accept-encoding", b"if-none-match", b"content-length", b"transfer-encoding", b"host"})
_ALONE = ("maxTokens", "continuationToken")  # an answer over several sites has no parts
_USUAL_TOP_K = 10


@dataclass(frozen=True, slots=True)
class Site:
    """One of the projects."""

    project: Project
    name: str  # in addresses
    title: str
    address: str  # scheme and host of its pages; "" = those of the page that searches
    app: FastAPI | None  # None: it could not start


def site_names(projects: Sequence[Project]) -> list[str]:
    """The names of projects in addresses.

    Raises:
        ConfigError: Two are equal.
    """
    names = [_NAME.sub("-", project.id).strip("-") or "site" for project in projects]
    if double := next((name for name in names if names.count(name) > 1), None):
        raise ConfigError(f"two of the projects have the id {double!r}; set project.id in one of them")
    return names


def open_sites(
    projects: Sequence[Project],
    *,
    environ: Mapping[str, str],
    host: str,
    tokens: Sequence[str],
    dev: bool,
    on_error: OnError,
) -> list[Site]:
    """Open each project; one that cannot be opened is reported and answers nothing.

    Args:
        tokens: Of each project, see `create_app`.

    Raises:
        SearchSocketError: None can be opened.
    """
    sites, errors = [], []
    for project, name, token in zip(projects, site_names(projects), tokens, strict=True):
        try:
            sites.append(_open(project, name, environ=environ, host=host, token=token, dev=dev, on_error=on_error))
        except SearchSocketError as error:
            errors.append(error)
            on_error(error)
            sites.append(Site(project, name, project.id, "", None))
    if len(errors) == len(sites):
        raise errors[0]
    return sites


def _open(project: Project, name: str, *, environ: Mapping[str, str], **options: Any) -> Site:
    store = None
    if address := artifacts_address(project, ""):
        pulled = open_pulled(project, environ, address)
        project, store = pulled.project, pulled.store
    app = create_app(project, environ=environ, store=store, **options)
    service: SearchService = app.state.service
    origin = site_origin(project.settings, service.scopes.public[0])
    return Site(project, name, service.site_title() or project.id, origin, app)


def create_sites_app(sites: Sequence[Site], host: str, on_error: OnError) -> FastAPI:
    """The application of several projects; the settings `[api]` of the first apply to what they share.

    Args:
        host: The address that the server is bound to.
    """
    first = sites[0].project
    path = first.settings.api.path
    prefix = path.rpartition("/")[0]
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False, lifespan=_lifespan(sites))
    searcher = _Searcher(sites)
    renderer = _renderer(sites, path) if first.settings.api.page else None

    @app.get(path)
    async def get_search(request: Request) -> Response:
        return await searcher.search_by_url(request.scope, request.query_params.multi_items())

    @app.post(path)
    async def post_search(request: Request) -> Response:
        return await searcher.search_by_body(request.scope, _object(await request.body()))

    @app.post(f"{prefix}/beacon")
    async def post_beacon(request: Request) -> Response:
        body = await request.body()
        name = (_object(body) or {}).get("project")
        site = next((site for site in sites if site.name == name), sites[0])
        return (await searcher.ask(site, request.scope, f"{site_prefix(site)}/beacon", body=body)).response()

    @app.get(f"{prefix}/health")
    async def get_health(request: Request) -> Response:
        replies = await searcher.ask_all(request.scope, lambda site: f"{site_prefix(site)}/health")
        health = {reply.site.name: reply.json() for reply in replies}
        is_ready = any(each.get("ready") for each in health.values())
        return JSONResponse({"live": True, "ready": is_ready, "sites": health}, 200 if is_ready else 503)

    if renderer:

        @app.get("/")
        async def get_home(request: Request) -> Response:
            form = {name: value for name, value in request.query_params.multi_items() if value.strip()}
            view = View(form)
            if form.get("q"):
                reply = await searcher.search_by_url(request.scope, [*form.items()])
                answer = json.loads(bytes(reply.body))
                is_answer = reply.status_code == 200
                view = View(form, answer=answer) if is_answer else View(form, problem=answer["error"]["message"])
            return Response(renderer.html(view), 200, {"content-security-policy": CSP}, "text/html")

        @app.get("/docs")
        async def get_docs() -> Response:
            return RedirectResponse(f"sites/{sites[0].name}/docs")

        @app.get(f"{prefix}/page/{{name}}")
        async def get_asset(request: Request) -> Response:
            return (await searcher.ask(sites[0], request.scope, request.url.path)).response()

    app.state.service = next(site.app.state.service for site in sites if site.app)
    add_guards(app, first, TierRules(), host, (), frozenset({f"{prefix}/beacon"}), on_error, None, (), identifies=False)
    app.add_middleware(SiteDispatch, sites=sites)
    return app


def site_prefix(site: Site) -> str:
    """The prefix of the endpoints of a project, such as `/api`."""
    return site.project.settings.api.path.rpartition("/")[0]


class SiteDispatch:
    """Sends what is below `/sites/NAME` to that project's application, as if it were alone."""

    def __init__(self, app: ASGIApp, sites: Sequence[Site]) -> None:
        self._app = app
        self._sites = {site.name: site for site in sites}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(PREFIX):
            await self._app(scope, receive, send)
            return
        name, slash, _ = scope["path"].removeprefix(PREFIX).partition("/")
        site = self._sites.get(name)
        if site is None or site.app is None or not slash:
            status = 503 if site and site.app is None else 404
            await unavailable(status)(scope, receive, send)
            return
        below = f"{PREFIX}{name}"
        paths = {"path": scope["path"][len(below) :], "raw_path": scope["raw_path"][len(below) :]}
        await site.app({**scope, **paths, "root_path": below}, receive, send)


class _Searcher:
    """Asks the applications of the projects, inside this process."""

    def __init__(self, sites: Sequence[Site]) -> None:
        self._sites = sites

    async def search_by_url(self, scope: Scope, parameters: Sequence[tuple[str, str]]) -> Response:
        """Search all projects by a query string."""
        named = dict(parameters)
        if (page := _page_of(named)) is None:
            return _refusal()
        shared = [(name, value) for name, value in parameters if name not in _OF_PAGES]
        query = urlencode([*shared, ("topK", page.candidates)]).encode()
        return merged_answer(await self.ask_all(scope, _search_path, query), page.top_k, page.offset)

    async def search_by_body(self, scope: Scope, fields: Mapping[str, Any] | None) -> Response:
        """Search all projects by the fields of a body."""
        if fields is None or (page := _page_of(fields)) is None:
            return _refusal()
        shared = {name: value for name, value in fields.items() if name not in _OF_PAGES}
        body = json.dumps({**shared, "topK": page.candidates}).encode()
        return merged_answer(await self.ask_all(scope, _search_path, body=body), page.top_k, page.offset)

    async def ask_all(
        self, scope: Scope, path: Callable[[Site], str], query: bytes = b"", *, body: bytes = b""
    ) -> list[SiteReply]:
        """Ask every project at once."""
        return list(
            await asyncio.gather(*(self.ask(site, scope, path(site), query, body=body) for site in self._sites))
        )

    async def ask(self, site: Site, scope: Scope, path: str, query: bytes = b"", *, body: bytes = b"") -> SiteReply:
        """Ask a project; a key that is another project's makes the caller anonymous there."""
        reply = await self._ask(site, scope, path, query, body, frozenset())
        if reply.status == 401:
            return await self._ask(site, scope, path, query, body, frozenset({b"authorization"}))
        return reply

    async def _ask(
        self, site: Site, scope: Scope, path: str, query: bytes, body: bytes, without: frozenset[bytes]
    ) -> SiteReply:
        if site.app is None:
            return SiteReply(site, 503)
        headers = [(name, value) for name, value in scope["headers"] if name not in _OWN_HEADERS | without]
        headers.append((b"host", b"localhost"))  # the name that the caller used was checked before
        if body:
            headers = [header for header in headers if header[0] != b"content-type"]
            headers += [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
        own = {
            **scope,
            "method": "POST" if body else "GET",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query,
            "headers": headers,
            "state": {},
        }
        collected = _Collected(body)
        try:
            async with asyncio.timeout(TIMEOUT_S):
                await site.app(own, collected.receive, collected.send)
        except TimeoutError:
            return SiteReply(site, 504)
        return SiteReply(site, collected.status, tuple(collected.headers), bytes(collected.body))


class _Collected:
    """One exchange with an application: sends it a body and collects its response."""

    def __init__(self, body: bytes) -> None:
        self._messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
        self.status = 500
        self.headers: list[tuple[bytes, bytes]] = []
        self.body = bytearray()

    async def receive(self) -> Message:
        if self._messages:
            return self._messages.pop()
        await asyncio.Event().wait()  # the caller stays
        raise AssertionError

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], list(message["headers"])
        else:
            self.body += message.get("body", b"")


class _Page(NamedTuple):
    """A page of the merged results."""

    top_k: int
    offset: int

    @property
    def candidates(self) -> int:
        """Results that each project must give."""
        return max(min(self.top_k + self.offset, MAX_TOP_K), 1)


_OF_PAGES = ("topK", "offset", "generation")


def _page_of(fields: Mapping[str, Any]) -> _Page | None:
    """The page that a request is for; None if it cannot be."""
    try:
        page = _Page(int(fields.get("topK") or _USUAL_TOP_K), int(fields.get("offset") or 0))
    except (TypeError, ValueError):
        return None
    is_possible = 1 <= page.top_k <= MAX_TOP_K and page.offset >= 0
    return page if is_possible and not any(name in fields for name in _ALONE) else None


def _refusal() -> Response:
    message = (
        f"a search over several sites takes topK from 1 to {MAX_TOP_K}, offset, and neither {' nor '.join(_ALONE)}"
    )
    return problem(400, "INVALID_REQUEST", message)


def _search_path(site: Site) -> str:
    return site.project.settings.api.path


def _object(body: bytes) -> Mapping[str, Any] | None:
    """The JSON object in a body; None if there is none."""
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return fields if isinstance(fields, dict) else None


def _renderer(sites: Sequence[Site], path: str) -> Renderer:
    prefix = path.rpartition("/")[0].lstrip("/")
    title = ", ".join(site.title for site in sites)
    return Renderer(title, site="", api=path.lstrip("/"), folder=f"{prefix}/page", facets=(), scopes=())


def _lifespan(sites: Sequence[Site]) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for site in sites:
                if site.app is not None:
                    await stack.enter_async_context(site.app.router.lifespan_context(site.app))
            yield

    return lifespan
