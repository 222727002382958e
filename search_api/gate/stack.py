"""Build the layers in front of the endpoints, in order, from the settings."""

import ipaddress
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from search_api.errors import error_response
from search_api.gate import guards
from search_api.gate.callers import IPNetwork, RateLimit, TierRules, hash_key
from search_api.gate.observer import AnsweredRequest, Observer
from search_api.page.home import ErrorPages, Renderer
from searchsocket.errors import Busy, ConfigError
from searchsocket.project.project import Project
from searchsocket.project.settings.model import ApiSettings
from searchsocket.serving.hosts import host_name, is_loopback

BODY_TIMEOUT_S = 10.0
COMPRESSED_FROM = 2_000  # bytes; less fits into two packets anyway
COMPRESS_LEVEL = 1  # a third of the size for a twentieth of a query's time; higher levels gain few per cent
_ALLOWED = (
    "authorization", "content-type", "if-none-match", "last-event-id", "mcp-method", "mcp-name", "mcp-protocol-version",
    "mcp-session-id", "x-request-id",
)  # fmt: skip
_EXPOSED = ("etag", "link", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset", "retry-after", "x-request-id")
CHEAP_FACTOR = 5  # times the usual limit, for probes of several load balancers and files of the page


@dataclass(frozen=True, slots=True)
class Gate:
    """The guards in front of an application.

    Attributes:
        project: Its settings decide limits and host names.
        host: Address that the server is bound to.
        on_error: Called with errors that callers do not see.
        rules: Identify trusted callers; None if the endpoints identify callers and limit anonymous ones.
        cheap: Paths with their own, higher rate limit.
        probes: Paths that are answered under any host name, since probes use the address of a machine.
        beacons: See `BodyGuard`.
        page: Renders errors at `/`; None without a search page.
        listeners: Called with every request after its answer.
    """

    project: Project
    host: str
    on_error: guards.OnDefect
    rules: TierRules | None = None
    cheap: Sequence[str] = ()
    probes: Sequence[str] = ()
    beacons: frozenset[str] = frozenset()
    page: Renderer | None = None
    listeners: Sequence[Callable[[AnsweredRequest], None]] = ()


def add_guards(app: FastAPI, gate: Gate) -> None:
    """Add the guards in front of the endpoints; the last one added is outermost."""
    settings = gate.project.settings.api
    rate = RateLimit(settings.rate_limit) if settings.rate_limit.max else None
    often = settings.rate_limit.model_copy(update={"max": CHEAP_FACTOR * settings.rate_limit.max})
    own_rates = dict.fromkeys(gate.cheap, RateLimit(often)) if rate else {}
    posts, gets = _paths(app, "POST"), _paths(app, "GET")
    app.add_middleware(
        guards.BodyGuard,
        posts=posts,
        gets=gets,
        beacons=gate.beacons,
        max_bytes=settings.max_body_bytes,
        timeout_s=BODY_TIMEOUT_S,
    )
    if gate.rules:
        app.add_middleware(guards.CallerGuard, rules=gate.rules, rate=rate, own_rates=own_rates)
    app.add_middleware(guards.LastResort, on_defect=gate.on_error)
    if gate.page:
        app.add_middleware(ErrorPages, renderer=gate.page)
    if settings.cors.allow_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.cors.allow_origins,
            allow_methods=("GET", "POST"),
            allow_headers=_ALLOWED,
            expose_headers=_EXPOSED,
        )
    # On addresses other than loopback any name is accepted, unless names are listed.
    checked = is_loopback(gate.host) or bool(settings.allowed_hosts)
    app.add_middleware(
        guards.HostGuard, allowed=_own_names(gate.project) if checked else None, exempt=frozenset(gate.probes)
    )
    # Compression leaks no secret: without cookies, a browser sends no secret with a request that a stranger chose.
    app.add_middleware(GZipMiddleware, minimum_size=COMPRESSED_FROM, compresslevel=COMPRESS_LEVEL)
    app.add_middleware(guards.HeadAsGet)
    app.add_middleware(UnderWayGuard)
    agents_path = gate.project.settings.mcp.http.path
    app.add_middleware(Observer, search_path=settings.path, agents_path=agents_path, listeners=gate.listeners)
    app.add_middleware(guards.Envelope)


def _paths(app: FastAPI, method: str) -> frozenset[str]:
    """Return the paths that accept this method."""
    routes = (route for route in app.routes if method in (getattr(route, "methods", None) or ()))
    return frozenset(getattr(route, "path", "") for route in routes)


def _own_names(project: Project) -> frozenset[str]:
    """Return the host names of the service, besides those of its machine.

    Raises:
        ConfigError: A listed name is not a host name.
    """
    names = {(urlsplit(project.settings.project.base_url).hostname or "").removesuffix(".")}
    for host in project.settings.api.allowed_hosts:
        name = host_name(host)
        if not name:
            raise ConfigError(f"api.allowed_hosts: {host!r} is not a host name such as www.example.com")
        names.add(name)
    return frozenset(names - {""})


def proxy_networks(settings: ApiSettings) -> tuple[IPNetwork, ...]:
    """The networks of the trusted proxies.

    Raises:
        ConfigError: A listed proxy is not an address or a network.
    """
    try:
        return tuple(ipaddress.ip_network(network, strict=False) for network in settings.trusted_proxies)
    except ValueError as error:
        raise ConfigError(f"api.trusted_proxies: {error}") from error


def tier_rules(settings: ApiSettings, key: str, token: str, dev: bool) -> TierRules:
    """Build the rules that identify trusted callers; a configured key replaces any other trust.

    Raises:
        ConfigError: A trusted proxy is not an address or a network.
    """
    return TierRules(hash_key(key or token), dev and not key, proxy_networks(settings))


MAX_UNDER_WAY = 1_000
_log = logging.getLogger("searchsocket.api")


class UnderWayGuard(guards.HttpLayer):
    """Limits the requests in progress; idle connections do not count."""

    def __init__(self, app: ASGIApp, most: int = MAX_UNDER_WAY) -> None:
        super().__init__(app)
        self._most = most
        self._count = 0

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._count >= self._most:
            _log.warning("refused a request: %d requests are in progress", self._most)
            await error_response(Busy("too many requests; try again"))(scope, receive, send)
            return
        self._count += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._count -= 1
