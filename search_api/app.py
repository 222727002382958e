"""The FastAPI application of one project."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool

from search_api.endpoints.capabilities import OnAnswer, add_capability, add_pages
from search_api.endpoints.common import Freshness, check_search_path
from search_api.endpoints.monitoring import PROBES, Metrics, ProjectNumbers, add_health, add_metrics
from search_api.errors import add_handlers
from search_api.extension import AppContext, prefix_of
from search_api.gate.queries import Queries
from search_api.gate.stack import Gate, access_log, add_guards, tier_rules
from search_api.openapi import SearchApp
from search_api.page.docs import add_docs
from search_api.page.home import Renderer, add_home, assets
from searchsocket.errors import ConfigMissing
from searchsocket.extensions import extensions
from searchsocket.extensions.base import load
from searchsocket.models.embedders.base import Embedder
from searchsocket.project.access import configured_key, shared_secret
from searchsocket.project.project import Project
from searchsocket.serving.capabilities.all_capabilities import capabilities_of
from searchsocket.serving.capabilities.pages import PAGE, SEARCH
from searchsocket.serving.hosts import is_loopback
from searchsocket.serving.parts import Keeping, enabled_parts
from searchsocket.serving.service import OnError, SearchService, open_service
from searchsocket.serving.services import open_services
from searchsocket.stores.base.vector_store import VectorStore
from searchsocket.web.urls.site import site_origin

if TYPE_CHECKING:
    from searchsocket.agents.library import WithOthers

REFRESH_S = 60.0  # how long files of a deleted generation may stay on the disk
WARM_UP_S = 2.0  # a start waits at most this long for the warm-up


def create_app(
    project: Project,
    *,
    environ: Mapping[str, str],
    host: str = "127.0.0.1",
    token: str = "",
    dev: bool = False,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    on_error: OnError = lambda _: None,
    store: VectorStore | None = None,
    embedder: Embedder | None = None,
    libraries: "WithOthers | None" = None,
    metrics: Metrics | None = None,
    on_demand: bool = False,
) -> FastAPI:
    """Build the FastAPI application of one project.

    Args:
        environ: Environment with the key (`api.key_env`), which is read once.
        host: Address that the server is bound to.
        token: Secret of trusted callers while no key is configured.
        dev: Trust direct callers on this machine, if no key is configured and the server is bound to loopback.
        on_error: Called with errors that callers do not see.
        store, embedder: Replace those of the settings.
        libraries: Adds other projects that agents can search.
        metrics: Counters of requests; None = new ones.
        on_demand: Open a scope only at its first search.

    Raises:
        ConfigError, ConfigMissing, InvalidScope: The service could not answer a single query.
    """
    settings = project.settings.api
    check_search_path(settings.path)
    shared_secret(environ)  # refuse an invalid secret at the start, not at the first continuation
    service = open_service(project, environ, clock=clock, on_error=on_error, store=store, embedder=embedder)
    service.scopes.check()
    with suppress(ConfigMissing):  # without its key only the reranker is unavailable
        service.check()
    key = configured_key(project, environ)
    trusts_loopback = dev and is_loopback(host)

    app = _without_endpoints(project, service, on_demand=on_demand)
    services = open_services(project, environ, clock=clock, on_error=on_error, service=service, only_enabled=True)
    freshness = Freshness(project, service)
    context = AppContext(app, project, service, services, freshness, environ, clock, on_error, bool(key))
    added = [load(each.endpoints)(context) for each in extensions() if each.endpoints]
    beacon = next((each.beacon for each in added if each.beacon), "")
    on_search = _all_of([each.on_search for each in added if each.on_search])
    queries = _add_capabilities(context, on_search)
    add_health(app, context.prefix, service)
    for each in added:
        if each.any_path:
            each.any_path()
    if project.settings.mcp.enable and project.settings.mcp.http.path:
        _add_agents(context, libraries, may_sync=store is None)
    numbers = ProjectNumbers(metrics or Metrics(project.id), service)
    app.state.numbers = [numbers]
    add_metrics(app, numbers)
    add_handlers(app, on_error)
    page = _add_page(context, queries, on_search, beacon, follows=trusts_loopback) if settings.page else None
    probes = [f"{context.prefix}/{name}" for name in PROBES]
    gate = Gate(
        project,
        host,
        on_error,
        tier_rules(settings, key, token, trusts_loopback),
        cheap=(f"{context.prefix}/health", *probes, *(f"{context.prefix}/page/{name}" for name in assets())),
        probes=probes,
        beacons=frozenset({beacon}),
        page=page,
        listeners=[numbers.metrics.note, *([access_log] if settings.access_log else [])],
    )
    add_guards(app, gate)
    return app


def _without_endpoints(project: Project, service: SearchService, *, on_demand: bool) -> SearchApp:
    app = SearchApp(
        facets=project.settings.facets,
        reranks=project.settings.rerank.provider != "none",
        title="searchsocket",
        version="1",
        summary="Search this site",
        docs_url=None,
        redoc_url=None,
        openapi_url=f"{prefix_of(project)}/openapi.json",
        lifespan=lifespan_of(service, _refresh_s(service), on_demand=on_demand),
        redirect_slashes=False,
    )
    app.state.service = service
    return app


@runtime_checkable
class _Polling(Protocol):
    """A store that looks for new generations elsewhere when it is refreshed."""

    poll_s: float


def _refresh_s(service: SearchService) -> float:
    """Return the pause between two refreshes of the service, in seconds."""
    return min(REFRESH_S, service.store.poll_s) if isinstance(service.store, _Polling) else REFRESH_S


def lifespan_of(
    service: SearchService, refresh_s: float, *, on_demand: bool
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    """Return the lifespan of an application.

    Args:
        refresh_s: Pause between two refreshes of the service, in seconds.
        on_demand: Neither warm up nor read ahead, since a scope is opened only at its first search.
    """
    read_ahead = (lambda: None) if on_demand else service.read_ahead

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        if not on_demand:
            warming = asyncio.create_task(_warm_up(service))
            with suppress(TimeoutError):  # a store or a provider is unavailable: start without it
                await asyncio.wait_for(asyncio.shield(warming), WARM_UP_S)
        refreshing = asyncio.create_task(_refresh(service, refresh_s, read_ahead))
        try:
            yield
        finally:
            refreshing.cancel()
            with suppress(asyncio.CancelledError):
                await refreshing

    return lifespan


async def _warm_up(service: SearchService) -> None:
    await run_in_threadpool(service.warm_up)
    await run_in_threadpool(service.read_ahead)


async def _refresh(service: SearchService, every_s: float, read_ahead: Callable[[], None]) -> None:
    """Close generations that are no longer live and read ahead in the live ones, every `every_s` seconds."""
    while True:
        await asyncio.sleep(every_s)
        try:
            await run_in_threadpool(service.refresh)
            await run_in_threadpool(read_ahead)
        except Exception as error:  # noqa: BLE001  (reported; one defect must not stop the loop)
            service.on_error(error)


def _add_capabilities(context: AppContext, on_search: OnAnswer) -> Queries:
    """Add an endpoint for each capability; return what runs them.

    Args:
        on_search: Called with each search.
    """
    app, project, services, prefix = context.app, context.project, context.services, context.prefix
    services.content()  # raises now, not at the first request
    for part in enabled_parts(project.settings, services.parts).values():
        part()
    queries = Queries(services)
    for capability in capabilities_of(project.settings):
        if capability is SEARCH:
            path, listener = project.settings.api.path, on_search
        else:
            path, listener = f"{prefix}{capability.http.path}", _ignore
        if capability is PAGE:
            add_pages(app, path, queries, context.freshness)
        else:
            add_capability(app, path, capability, queries, context.freshness, listener)
    return queries


def _add_agents(context: AppContext, libraries: "WithOthers | None", *, may_sync: bool) -> None:
    """Serve agents over MCP.

    Args:
        may_sync: Edits of the code may be indexed before an answer, since this machine owns the index.
    """
    from search_api.endpoints.mcp import add_mcp  # the import takes a second of CPU

    project, environ, clock = context.project, context.environ, context.clock
    keeping = Keeping(bool(project.settings.mcp.sync) and may_sync)
    services = open_services(
        project, environ, clock=clock, on_error=context.on_error, service=context.service, keeping=keeping
    )
    add_mcp(context.app, services, libraries)


def _ignore(*_: object) -> None:
    """Record nothing."""


def _all_of(listeners: Sequence[OnAnswer]) -> OnAnswer:
    """Return a listener that calls all of them."""

    def listener(*call: Any) -> None:
        for each in listeners:
            each(*call)

    return listener if listeners else _ignore


def _add_page(context: AppContext, queries: Queries, on_search: OnAnswer, beacon: str, *, follows: bool) -> Renderer:
    """Add the search page at `/` and the API's page at `/docs`; return the renderer of the search page.

    Args:
        beacon: Path to which pages report opened results; "" = none.
        follows: An open page searches again when the index changes.
    """
    project, service, settings = context.project, context.service, context.project.settings
    folder = f"{context.prefix}/page"
    renderer = Renderer(
        project.id,
        site=site_origin(settings, service.scopes.default),
        api=settings.api.path.lstrip("/"),
        folder=folder.lstrip("/"),
        health=f"{context.prefix}/health".lstrip("/") if follows else "",
        beacon=beacon.lstrip("/"),
        facets=tuple(settings.facets),
        scopes_of=lambda: service.scopes.public,
    )
    add_home(context.app, folder, renderer, service, queries, tuple(settings.facets), on_search)
    add_docs(context.app, folder, project.id, settings.api)
    return renderer
