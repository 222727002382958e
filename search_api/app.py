"""The FastAPI application of one project."""

import re
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from functools import cache, partial
from typing import TYPE_CHECKING

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool

from search_api.endpoints.capabilities import OnAnswer, add_capability
from search_api.endpoints.demand import SearchListener, add_beacon
from search_api.endpoints.health import PROBES, add_health
from search_api.endpoints.llms import add_llms
from search_api.endpoints.metrics import Metrics, ProjectNumbers, add_metrics
from search_api.endpoints.names import ENDPOINTS
from search_api.endpoints.owner import add_owner
from search_api.endpoints.pages import add_pages
from search_api.errors import add_handlers
from search_api.gate.freshness import Freshness
from search_api.gate.observer import access_log
from search_api.gate.origins import Origins
from search_api.gate.queries import Queries
from search_api.gate.stack import Gate, add_guards, tier_rules
from search_api.lifespan import lifespan_of
from search_api.openapi import SearchApp
from search_api.page.docs import add_docs
from search_api.page.home import add_home
from search_api.page.view import Renderer, assets
from searchsocket.demand.log import DemandLog
from searchsocket.demand.recorder import DemandRecorder
from searchsocket.demand.tally import storable_query
from searchsocket.errors import ConfigError, ConfigMissing
from searchsocket.models.embedders.base import Embedder
from searchsocket.project.access import configured_key, shared_secret
from searchsocket.project.project import Project
from searchsocket.serving.capabilities.all_capabilities import CAPABILITIES
from searchsocket.serving.capabilities.base import Services
from searchsocket.serving.capabilities.pages import PAGE, SEARCH
from searchsocket.serving.code import open_code
from searchsocket.serving.code_keeper import CodeKeeper
from searchsocket.serving.content import open_content
from searchsocket.serving.hosts import is_loopback
from searchsocket.serving.llms import AgentTexts
from searchsocket.serving.service import OnError, SearchService, open_service
from searchsocket.serving.services import open_services
from searchsocket.stores.base import VectorStore
from searchsocket.web.urls.site import site_origin

if TYPE_CHECKING:
    from searchsocket.agents.library import LibraryMakers

REFRESH_S = 60.0  # how long files of a deleted generation may stay on the disk
_PATH = re.compile(r"(?:/[A-Za-z0-9._~-]+)+")


def _to_stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def create_app(
    project: Project,
    *,
    environ: Mapping[str, str],
    host: str = "127.0.0.1",
    token: str = "",
    dev: bool = False,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    on_error: OnError = lambda _: None,
    on_access: Callable[[str], None] = _to_stderr,
    store: VectorStore | None = None,
    embedder: Embedder | None = None,
    others: "LibraryMakers | None" = None,
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
        on_access: Called with each line of the access log, if the log is enabled.
        store, embedder: Replace those of the settings.
        others: Other projects that agents can search, by name; the first call that names one opens it.
        metrics: Counters of requests; None = new ones.
        on_demand: Open a scope only at its first search.

    Raises:
        ConfigError, ConfigMissing, InvalidScope: The service could not answer a single query.
    """
    settings = project.settings.api
    shared_secret(environ)  # refuse an invalid secret at the start, not at the first continuation
    service = open_service(project, environ, clock=clock, on_error=on_error, store=store, embedder=embedder)
    service.scopes.check()
    with suppress(ConfigMissing):  # without its key only the reranker is unavailable
        service.check()

    prefix = _prefix(settings.path)
    app = _without_endpoints(project, service, prefix, on_demand=on_demand)
    freshness = Freshness(project, service)
    code = cache(partial(open_code, project, environ, clock=clock, on_error=on_error, site=service.store))
    content = open_content(project, environ, service, code() if project.settings.code.enable else None, clock=clock)
    queries = Queries(Services(service.scopes, lambda: service, code, lambda: content))
    beacon_path = f"{prefix}/beacon" if project.settings.demand.enable else ""
    on_search = _record_demand(app, project, service, beacon_path, clock, on_error) if beacon_path else _ignore
    for capability in CAPABILITIES:
        if capability is SEARCH:
            add_capability(app, settings.path, capability, queries, freshness, on_search)
        elif capability is PAGE:
            add_pages(app, f"{prefix}/pages", queries, freshness)
        elif project.settings.code.enable or not capability.private:
            add_capability(app, f"{prefix}{capability.http.path}", capability, queries, freshness)
    add_health(app, prefix, service)
    add_llms(app, AgentTexts(project, service), service, freshness)
    if project.settings.mcp.enable and project.settings.mcp.http.path:
        _add_agents(app, project, environ, service, others, may_sync=store is None, clock=clock, on_error=on_error)
    metrics = metrics or Metrics(project.id)
    app.state.numbers = [ProjectNumbers(metrics, service)]
    add_metrics(app, *app.state.numbers)
    add_handlers(app, on_error)
    follows = dev and is_loopback(host)
    page = _page(app, project, prefix, service, queries, beacon_path, on_search, follows) if settings.page else None
    if page and configured_key(settings, environ):
        add_owner(app, prefix, project, service, clock)
    rules = tier_rules(settings, configured_key(settings, environ), token, dev and is_loopback(host))
    probes = [f"{prefix}/{name}" for name in PROBES]
    cheap = (f"{prefix}/health", *probes, *(f"{prefix}/page/{name}" for name in assets()))
    listeners = [metrics.note, *([access_log(on_access)] if settings.access_log else [])]
    gate = Gate(project, host, on_error, rules, cheap, probes, frozenset({beacon_path}), page, listeners)
    add_guards(app, gate)
    return app


def _without_endpoints(project: Project, service: SearchService, prefix: str, *, on_demand: bool) -> SearchApp:
    app = SearchApp(
        facets=project.settings.facets,
        reranks=project.settings.rerank.provider != "none",
        title="searchsocket",
        version="1",
        summary="Search this site",
        docs_url=None,
        redoc_url=None,
        openapi_url=f"{prefix}/openapi.json",
        lifespan=lifespan_of(service, min(REFRESH_S, project.settings.artifacts.poll_seconds), on_demand=on_demand),
        redirect_slashes=False,
    )
    app.state.service = service
    return app


def _add_agents(
    app: SearchApp,
    project: Project,
    environ: Mapping[str, str],
    service: SearchService,
    others: "LibraryMakers | None",
    *,
    may_sync: bool,
    clock: Callable[[], datetime],
    on_error: OnError,
) -> None:
    """Serve agents over MCP.

    Args:
        may_sync: Edits of the code may be indexed before an answer, since this machine owns the index.
    """
    from search_api.endpoints.mcp import add_mcp  # the import takes a second of CPU

    settings = project.settings
    keeper = CodeKeeper(project, environ, may_sync=bool(settings.mcp.sync) and may_sync, clock=clock)
    services = open_services(project, environ, clock=clock, on_error=on_error, service=service, keeper=keeper)
    add_mcp(app, project, services, clock, Origins(frozenset(settings.api.cors.allow_origins)), others)


def _ignore(*_: object) -> None:
    """Record nothing."""


def _record_demand(
    app: SearchApp,
    project: Project,
    service: SearchService,
    path: str,
    clock: Callable[[], datetime],
    on_error: OnError,
) -> OnAnswer:
    """Accept beacons at a path and return the listener for searches; counts are stored when the application stops."""
    settings = project.settings.demand
    log = DemandLog(project.state_dir)
    recorder = DemandRecorder(log, settings.min_visitors, settings.keep_days, clock=clock, on_error=on_error)
    listener = SearchListener(recorder, service.scopes.default)
    add_beacon(app, path, service, listener)
    start = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await run_in_threadpool(storable_query, "load the formats of secrets")
        async with start(app):
            try:
                yield
            finally:
                await run_in_threadpool(recorder.close)

    app.router.lifespan_context = lifespan
    app.state.demand = recorder
    return listener.search


def _page(
    app: SearchApp,
    project: Project,
    prefix: str,
    service: SearchService,
    queries: Queries,
    beacon_path: str,
    on_search: OnAnswer,
    follows: bool,
) -> Renderer:
    """Add the search page at `/` and the API's page at `/docs`; return the renderer of the search page.

    Args:
        beacon_path: Endpoint to which the page reports opened results; "" = it reports none.
        follows: An open page searches again when the index changes.
    """
    settings = project.settings
    folder = f"{prefix}/page"
    renderer = Renderer(
        project.id,
        site=site_origin(settings, service.scopes.default),
        api=settings.api.path.lstrip("/"),
        folder=folder.lstrip("/"),
        health=f"{prefix}/health".lstrip("/") if follows else "",
        beacon=beacon_path.lstrip("/"),
        facets=tuple(settings.facets),
        scopes_of=lambda: service.scopes.public,
    )
    add_home(app, folder, renderer, service, queries, tuple(settings.facets), on_search)
    add_docs(app, folder, project.id, settings.api)
    return renderer


def _prefix(path: str) -> str:
    """Return the prefix of the other endpoints: `/api` for `/api/search`.

    Raises:
        ConfigError: The path is invalid or belongs to another endpoint.
    """
    prefix, _, last = path.rpartition("/")
    if not _PATH.fullmatch(path) or last in ENDPOINTS:
        raise ConfigError(
            f"api.path {path!r} must be a path such as /api/search, "
            f"and must not end with {', '.join(sorted(ENDPOINTS))}"
        )
    return prefix
