"""The FastAPI application of one project."""

import asyncio
import ipaddress
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from datetime import UTC, datetime
from urllib.parse import urlsplit

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.middleware.cors import CORSMiddleware

from search_api.endpoints.health import add_health
from search_api.endpoints.pages import add_pages
from search_api.endpoints.related import add_related
from search_api.endpoints.search import add_search
from search_api.gate.guards import BodyGuard, CallerGuard, Envelope, HeadAsGet, HostGuard, LastResort
from search_api.gate.queries import Queries
from search_api.gate.rate import RateLimit
from search_api.gate.tiers import IPNetwork, TierRules, hash_key
from search_api.gate.under_way import UnderWayGuard
from search_api.handlers import add_handlers
from search_api.openapi import SearchApp
from searchsocket.embedders.base import Embedder
from searchsocket.errors import ConfigError
from searchsocket.project.access import configured_key
from searchsocket.project.project import Project
from searchsocket.serving.hosts import host_name, is_loopback
from searchsocket.serving.service import OnError, SearchService, open_service
from searchsocket.settings.model import ApiSettings
from searchsocket.stores.base import VectorStore

BODY_TIMEOUT_S = 10.0
REFRESH_S = 60.0  # how long files of a deleted generation may stay on the disk
HEALTH_FACTOR = 5  # as often as other requests: several load balancers may ask through one address
_PATH = re.compile(r"(?:/[A-Za-z0-9._~-]+)+")
_TAKEN = frozenset({"health", "pages", "related", "openapi.json"})


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
) -> FastAPI:
    """The service of one project.

    Args:
        environ: Where the key (`api.key_env`) is read, once.
        host: The address that the server is bound to.
        token: What trusted callers send while there is no key.
        dev: Trust whoever asks directly from this machine, while there is no key and the server is bound to loopback.
        on_error: Hears of errors that callers do not read about.
        store, embedder: Instead of those that the settings name.

    Raises:
        ConfigError, ConfigMissing, InvalidScope: The service could not answer a single query.
    """
    settings = project.settings.api
    service = open_service(project, environ, clock=clock, on_error=on_error, store=store, embedder=embedder)
    service.scopes.check()
    queries = Queries(service)

    prefix = _prefix(settings.path)
    app = SearchApp(
        facets=project.settings.facets,
        title="searchsocket",
        version="1",
        summary="Search this site",
        docs_url=None,
        redoc_url=None,
        openapi_url=f"{prefix}/openapi.json",
        lifespan=_lifespan(service, min(REFRESH_S, project.settings.artifacts.poll_seconds)),
        redirect_slashes=False,
    )
    health_path = f"{prefix}/health"
    add_search(app, settings.path, queries)
    add_related(app, f"{prefix}/related", queries)
    add_pages(app, f"{prefix}/pages", service)
    add_health(app, health_path, service)
    add_handlers(app, on_error)
    rules = _tier_rules(settings, configured_key(settings, environ), token, dev and is_loopback(host))
    _add_guards(app, project, rules, host, health_path, on_error)
    return app


def _prefix(path: str) -> str:
    """What the other endpoints lie below: `/api` for `/api/search`.

    Raises:
        ConfigError: The path is none, or taken by another endpoint.
    """
    prefix, _, last = path.rpartition("/")
    if not _PATH.fullmatch(path) or last in _TAKEN:
        raise ConfigError(
            f"api.path {path!r} must be a path such as /api/search, and must not end with {', '.join(sorted(_TAKEN))}"
        )
    return prefix


def _lifespan(service: SearchService, refresh_s: float) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await run_in_threadpool(service.warm_up)
        refreshing = asyncio.create_task(_refresh(service, refresh_s))
        try:
            yield
        finally:
            refreshing.cancel()
            with suppress(asyncio.CancelledError):
                await refreshing

    return lifespan


async def _refresh(service: SearchService, every_s: float) -> None:
    """Let go of what is no longer live, also where nobody asks."""
    while True:
        await asyncio.sleep(every_s)
        try:
            await run_in_threadpool(service.refresh)
        except Exception as error:  # noqa: BLE001  (reported; one defect must not end this for good)
            service.on_error(error)


def _add_guards(
    app: FastAPI, project: Project, rules: TierRules, host: str, health_path: str, on_error: OnError
) -> None:
    """Put the guards before the endpoints; the last one added stands outermost."""
    settings = project.settings.api
    rate = RateLimit(settings.rate_limit) if settings.rate_limit.max else None
    probes = settings.rate_limit.model_copy(update={"max": HEALTH_FACTOR * settings.rate_limit.max})
    own_rates = {health_path: RateLimit(probes)} if rate else {}
    app.add_middleware(HeadAsGet)
    app.add_middleware(
        BodyGuard, paths=frozenset({settings.path}), max_bytes=settings.max_body_bytes, timeout_s=BODY_TIMEOUT_S
    )
    app.add_middleware(CallerGuard, rules=rules, rate=rate, own_rates=own_rates)
    app.add_middleware(LastResort, on_defect=on_error)
    if settings.cors.allow_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.cors.allow_origins,
            allow_methods=("GET", "POST"),
            allow_headers=("authorization", "content-type"),
            expose_headers=("retry-after",),
        )
    # Away from loopback any name is answered to, unless names are listed.
    checked = is_loopback(host) or bool(settings.allowed_hosts)
    app.add_middleware(HostGuard, allowed=_own_names(project) if checked else None)
    app.add_middleware(UnderWayGuard)
    app.add_middleware(Envelope)


def _own_names(project: Project) -> frozenset[str]:
    """The names that the service is asked by besides those of its machine.

    Raises:
        ConfigError: One that is listed is none.
    """
    names = {(urlsplit(project.settings.project.base_url).hostname or "").removesuffix(".")}
    for host in project.settings.api.allowed_hosts:
        name = host_name(host)
        if not name:
            raise ConfigError(f"api.allowed_hosts: {host!r} is not a host name such as www.example.com")
        names.add(name)
    return frozenset(names - {""})


def proxy_networks(settings: ApiSettings) -> tuple[IPNetwork, ...]:
    """Where the proxies are whose word counts.

    Raises:
        ConfigError: One is not an address or a network.
    """
    try:
        return tuple(ipaddress.ip_network(network, strict=False) for network in settings.trusted_proxies)
    except ValueError as error:
        raise ConfigError(f"api.trusted_proxies: {error}") from error


def _tier_rules(settings: ApiSettings, key: str, token: str, dev: bool) -> TierRules:
    """How callers are told apart; a key ends any other trust.

    Raises:
        ConfigError: A trusted proxy is not an address or a network.
    """
    return TierRules(hash_key(key or token), dev and not key, proxy_networks(settings))
