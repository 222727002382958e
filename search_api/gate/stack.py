"""Build the layers in front of the endpoints from the settings; log requests without queries and addresses."""

import ipaddress
import json
import logging
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from time import perf_counter
from urllib.parse import urlsplit

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from search_api.endpoints.common import ENDPOINTS
from search_api.errors import error_response
from search_api.gate import guards
from search_api.gate.callers import IPNetwork, RateLimit, TierRules, hash_key
from search_api.gate.guards import HttpLayer
from search_api.page.home import ErrorPages, Renderer
from searchsocket.errors import Busy, ConfigError
from searchsocket.project.project import Project
from searchsocket.project.settings.model import ApiSettings
from searchsocket.serving.hosts import host_name, is_loopback

_OTHERS = {"/metrics": "metrics", "/docs": "docs", "/owner": "owner"}

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
class AnsweredRequest:
    """One request and how it was answered."""

    request_id: str
    method: str
    endpoint: str  # its name only: the remaining URL may contain private text
    status: int  # 0 if the client disconnected first
    seconds: float
    scope: str | None  # the searched scope; None without a search
    hits: int | None  # results of a search
    trusted: bool


class Observer(HttpLayer):
    """Passes every request and its result to the listeners."""

    def __init__(
        self, app: ASGIApp, search_path: str, agents_path: str, listeners: Sequence[Callable[[AnsweredRequest], None]]
    ) -> None:
        super().__init__(app)
        self._agents_path = agents_path
        self._search_path = search_path
        self._prefix = search_path.rpartition("/")[0] + "/"
        self._listeners = listeners

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        start_s = perf_counter()
        state = scope.setdefault("state", {})
        status = 0

        async def send_noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, send_noted)
        finally:
            answered = AnsweredRequest(
                request_id=state.get("request_id", ""),
                method=scope["method"] if scope["method"] in ("GET", "HEAD", "POST", "OPTIONS") else "other",
                endpoint=self._endpoint(scope["path"]),
                status=status,
                seconds=perf_counter() - start_s,
                scope=state.get("scope"),
                hits=state.get("hits"),
                trusted="caller" in state and state["caller"].trusted,
            )
            for listener in self._listeners:
                listener(answered)

    def _endpoint(self, path: str) -> str:
        if path in (self._search_path, "/"):
            return "search" if path == self._search_path else "page"
        if path.rstrip("/") == self._agents_path.rstrip("/"):
            return "mcp"
        name = path.removeprefix(self._prefix).partition("/")[0] if path.startswith(self._prefix) else ""
        return name if name in ENDPOINTS else _OTHERS.get(path, "other")


def access_line(answered: AnsweredRequest, now: datetime) -> str:
    """Return the log line of a request, without a line end."""
    return json.dumps(
        {
            "time": now.isoformat(timespec="milliseconds"),
            "id": answered.request_id,
            "method": answered.method,
            "endpoint": answered.endpoint,
            "status": answered.status,
            "ms": round(1000 * answered.seconds, 3),
            "scope": answered.scope,
            "hits": answered.hits,
            "trusted": answered.trusted,
        }
    )


def access_log(answered: AnsweredRequest) -> None:
    """Write the log line of a request to stderr."""
    print(access_line(answered, datetime.now(UTC)), file=sys.stderr, flush=True)


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
