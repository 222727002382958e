"""The application of several projects: the search over all of them, and each project below its name."""

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from search_api.app import create_app
from search_api.endpoints.monitoring import NO_INDEX, PROBES, add_probes
from search_api.errors import add_handlers
from search_api.gate.guards import HttpLayer
from search_api.gate.stack import Gate, add_guards
from search_api.page.home import CSP, Renderer, View
from searchsocket.errors import SearchSocketError
from searchsocket.extensions.fleet.api import ServedSite
from searchsocket.extensions.fleet.api.searcher import SiteSearcher, json_object, unavailable
from searchsocket.extensions.fleet.pulled import open_pulled
from searchsocket.extensions.fleet.settings import artifacts_address
from searchsocket.project.project import Project
from searchsocket.serving.service import OnError, SearchService, site_names
from searchsocket.web.urls.site import site_origin

PREFIX = "/sites/"


def open_sites(
    projects: Sequence[Project],
    *,
    environ: Mapping[str, str],
    host: str,
    tokens: Sequence[str],
    dev: bool,
    on_error: OnError,
) -> list[ServedSite]:
    """Open each project; a project that cannot be opened is reported and has no application.

    Args:
        tokens: Of each project, see `create_app`.

    Raises:
        SearchSocketError: None can be opened.
    """
    sites, errors = [], []
    for project, name, token in zip(projects, site_names(projects), tokens, strict=True):
        try:
            sites.append(_open_site(project, name, environ=environ, host=host, token=token, dev=dev, on_error=on_error))
        except SearchSocketError as error:
            errors.append(error)
            on_error(error)
            sites.append(ServedSite(project, name, project.id, "", None))
    if len(errors) == len(sites):
        raise errors[0]
    return sites


def _open_site(project: Project, name: str, *, environ: Mapping[str, str], **options: Any) -> ServedSite:
    store = None
    if address := artifacts_address(project, ""):
        pulled = open_pulled(project, environ, address)
        project, store = pulled.project, pulled.store
    app = create_app(project, environ=environ, store=store, **options)
    service: SearchService = app.state.service
    origin = site_origin(project.settings, service.scopes.default)
    return ServedSite(project, name, service.site_title() or project.id, origin, app)


def create_sites_app(sites: Sequence[ServedSite], host: str, on_error: OnError) -> FastAPI:
    """Build the application of several projects; the first one's settings `[api]` apply to the shared endpoints.

    Args:
        host: The address that the server is bound to.
    """
    first = sites[0].project
    path = first.settings.api.path
    prefix = path.rpartition("/")[0]
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False, lifespan=_lifespan(sites))
    searcher = SiteSearcher(sites)

    @app.get(path)
    async def get_search(request: Request) -> Response:
        return await searcher.search_by_url(request.scope, request.query_params.multi_items())

    @app.post(path)
    async def post_search(request: Request) -> Response:
        return await searcher.search_by_body(request.scope, json_object(await request.body()))

    @app.post(f"{prefix}/beacon")
    async def post_beacon(request: Request) -> Response:
        body = await request.body()
        name = (json_object(body) or {}).get("project")
        site = next((site for site in sites if site.name == name), sites[0])
        return (await searcher.ask(site, request.scope, f"{site.prefix}/beacon", body=body)).response()

    @app.get(f"{prefix}/health")
    async def get_health(request: Request) -> Response:
        replies = await searcher.ask_all(request.scope, lambda site: f"{site.prefix}/health")
        health = {reply.site.name: reply.json() for reply in replies}
        is_ready = any(each.get("ready") for each in health.values())
        return JSONResponse({"live": True, "ready": is_ready, "sites": health}, 200 if is_ready else 503)

    async def obstacle(request: Request) -> str | None:
        replies = await searcher.ask_all(request.scope, lambda site: f"{site.prefix}/ready")
        return None if any(reply.json().get("ready") for reply in replies) else NO_INDEX

    add_probes(app, prefix, obstacle)
    add_handlers(app, on_error)

    if first.settings.api.page:
        _add_page(app, prefix, sites, searcher, _renderer(sites, path))
    app.state.numbers = [numbers for site in sites if site.app for numbers in site.app.state.numbers]
    app.state.service = next(site.app.state.service for site in sites if site.app)
    probes = [f"{prefix}/{name}" for name in PROBES]
    add_guards(app, Gate(first, host, on_error, probes=probes, beacons=frozenset({f"{prefix}/beacon"})))
    app.add_middleware(SiteDispatch, sites=sites)
    return app


def _add_page(
    app: FastAPI, prefix: str, sites: Sequence[ServedSite], searcher: SiteSearcher, renderer: Renderer
) -> None:
    """Serve the search page over all projects, and its files."""

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


class SiteDispatch(HttpLayer):
    """Passes requests below `/sites/NAME` to that project's application, as if it were alone."""

    def __init__(self, app: ASGIApp, sites: Sequence[ServedSite]) -> None:
        super().__init__(app)
        self._sites = {site.name: site for site in sites}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not scope["path"].startswith(PREFIX):
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


def _renderer(sites: Sequence[ServedSite], path: str) -> Renderer:
    prefix = path.rpartition("/")[0].lstrip("/")
    title = ", ".join(site.title for site in sites)
    return Renderer(title, site="", api=path.lstrip("/"), folder=f"{prefix}/page", facets=(), scopes_of=tuple)


def _lifespan(sites: Sequence[ServedSite]) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for site in sites:
                if site.app is not None:
                    await stack.enter_async_context(site.app.router.lifespan_context(site.app))
            yield

    return lifespan
