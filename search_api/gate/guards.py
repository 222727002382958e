"""ASGI layers in front of the endpoints; each costs microseconds.

Order, outermost first: `Envelope` (headers), `Observer`, `HeadAsGet`, compression, `HostGuard`, CORS, `LastResort`,
`CallerGuard` (tier, rate), `BodyGuard`.
"""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from secrets import token_hex

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from search_api.errors import error_response, internal_error, problem
from search_api.gate.callers import (
    RateLimit,
    TierRules,
    bearer_key,
    client_address,
    is_trusted,
    peer_address,
    visitor_address,
)
from searchsocket.errors import Unauthorized
from searchsocket.serving.capabilities.base import Caller
from searchsocket.serving.hosts import host_name, is_loopback

OnDefect = Callable[[BaseException], None]

_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"cross-origin"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'; sandbox"),
    (b"cache-control", b"no-store"),
)
_REQUEST_ID = re.compile(rb"[A-Za-z0-9._:/+=-]{1,100}")  # a caller's own id is used if it matches


class HttpLayer:
    """A layer around an application that handles HTTP requests; other messages of the server pass it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (self.handle if scope["type"] == "http" else self._app)(scope, receive, send)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on to `self._app`."""
        raise NotImplementedError


def with_headers(send: Send, headers: Sequence[tuple[bytes, bytes]]) -> Send:
    """`send`, with headers for the response."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *headers]
        await send(message)

    return send_with_headers


class Envelope(HttpLayer):
    """Puts security headers and the request's id on every response."""

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        sent = next((value for name, value in scope["headers"] if name == b"x-request-id"), b"")
        request_id = sent if _REQUEST_ID.fullmatch(sent) else token_hex(8).encode()
        scope.setdefault("state", {})["request_id"] = request_id.decode()

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = list(message.get("headers", ()))
                names = {name for name, _ in headers}
                more = [header for header in _HEADERS if header[0] not in names]
                message["headers"] = [*headers, *more, (b"x-request-id", request_id)]
            await send(message)

        await self._app(scope, receive, send_with_headers)


class LastResort(HttpLayer):
    """Answers an unexpected exception with an error that reveals no details."""

    def __init__(self, app: ASGIApp, on_defect: OnDefect) -> None:
        super().__init__(app)
        self._on_defect = on_defect

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def send_noted(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, send_noted)
        except Exception as error:  # callers never read a raw exception
            self._on_defect(error)
            if started:
                raise  # half a response: the connection must be cut
            await internal_error()(scope, receive, send)


class HostGuard(HttpLayer):
    """Accepts requests with exactly one `Host` header that names this service.

    A page of another site can point its own name at this machine and then read answers (DNS rebinding). The Host
    header reveals that.
    """

    def __init__(self, app: ASGIApp, allowed: frozenset[str] | None, exempt: frozenset[str] = frozenset()) -> None:
        """
        Args:
            allowed: Names besides those of this machine; None = any.
            exempt: Paths that are answered under any name.
        """
        super().__init__(app)
        self._allowed = allowed
        self._exempt = exempt

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_exempt = scope["path"] in self._exempt
        refusal = None if is_exempt else self._refusal(Headers(scope=scope).getlist("host"))
        await (refusal or self._app)(scope, receive, send)

    def _refusal(self, hosts: list[str]) -> ASGIApp | None:
        name = host_name(hosts[0] if hosts else "")
        if name is None or len(hosts) > 1:
            return problem(400, "INVALID_REQUEST", "the Host header must be one `name` or `name:port`")
        if self._allowed is None or name in self._allowed or is_loopback(name):
            return None
        message = "unknown host name; see api.allowed_hosts"
        return problem(421, "INVALID_REQUEST", message)


class CallerGuard(HttpLayer):
    """Identifies the caller, and applies the rate limit to anonymous callers."""

    def __init__(
        self, app: ASGIApp, rules: TierRules, rate: RateLimit | None, own_rates: Mapping[str, RateLimit]
    ) -> None:
        """`own_rates`: Rate limits of paths that are counted separately."""
        super().__init__(app)
        self._rules = rules
        self._rate = rate
        self._own_rates = own_rates

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        peer = peer_address(scope)
        has_key = bearer_key(headers) is not None
        sender_is_trusted = is_trusted(headers, peer, self._rules)
        visitor = visitor_address(headers) if has_key and sender_is_trusted else None
        trusted = sender_is_trusted and visitor is None
        caller = Caller(trusted, visitor or client_address(headers, peer, self._rules.proxies))
        rate = self._own_rates.get(scope["path"], self._rate)
        if rate and not trusted:
            wait_s = rate.hit(caller.address)
            send = with_headers(send, rate.headers(caller.address))
            if wait_s is not None:
                await rate.refusal(wait_s)(scope, receive, send)
                return
        if has_key and not sender_is_trusted:
            error = Unauthorized("the key is wrong; public scopes need no key")
            await error_response(error, {"www-authenticate": "Bearer"})(scope, receive, send)
            return
        scope.setdefault("state", {})["caller"] = caller
        await self._app(scope, receive, send)


class BodyGuard(HttpLayer):
    """Reads the whole body before the endpoints do: JSON only, with limits of size and time."""

    def __init__(
        self,
        app: ASGIApp,
        posts: frozenset[str],
        gets: frozenset[str],
        beacons: frozenset[str],
        max_bytes: int,
        timeout_s: float,
    ) -> None:
        """
        Args:
            posts, gets: The paths that take a POST, or a GET.
            beacons: Paths that take any type of body: browsers send beacons to other origins as text only.
        """
        super().__init__(app)
        self._posts = posts
        self._only_posts = posts - gets
        self._beacons = beacons
        self._max_bytes = max_bytes
        self._timeout_s = timeout_s

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        if scope["method"] in ("GET", "HEAD", "OPTIONS") and scope["path"] not in self._only_posts:
            if "transfer-encoding" in headers or headers.get("content-length", "0") != "0":
                await _refuse(400, f"{scope['method']} must not have a body")(scope, receive, send)
                return
            await self._app(scope, receive, send)
            return
        if scope["method"] != "POST" or scope["path"] not in self._posts:  # the router answers 404 or 405
            await self._app(scope, receive, send)
            return
        media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type != "application/json" and scope["path"] not in self._beacons:
            await _refuse(415, "the body must be application/json")(scope, receive, send)
            return
        declared = headers.get("content-length", "0")
        if not declared.isdigit() or len(declared) > 18 or int(declared) > self._max_bytes:
            await self._too_large()(scope, receive, send)
            return
        try:
            async with asyncio.timeout(self._timeout_s):
                body = await _read(receive, self._max_bytes)
        except TimeoutError:
            await _refuse(408, "the body did not arrive in time")(scope, receive, send)
            return
        except _TooLarge:
            await self._too_large()(scope, receive, send)
            return
        if body is not None:
            await self._app(scope, _replay(body, receive), send)

    def _too_large(self) -> ASGIApp:
        return _refuse(413, f"the body may have at most {self._max_bytes} bytes")


class HeadAsGet(HttpLayer):
    """Answers HEAD as GET, without the body."""

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return

        async def send_head(message: Message) -> None:
            await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

        await self._app(dict(scope, method="GET"), receive, send_head)


class _TooLarge(Exception):
    pass


async def _read(receive: Receive, max_bytes: int) -> bytes | None:
    """Read the body; None if the client disconnected. The declared length is not trusted."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        body += message.get("body", b"")
        if len(body) > max_bytes:
            raise _TooLarge
        if not message.get("more_body", False):
            return bytes(body)


def _replay(body: bytes, receive: Receive) -> Receive:
    sent = False

    async def replay() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


def _refuse(status: int, message: str) -> ASGIApp:
    # Close the connection; the server would otherwise read the remaining body to its end.
    return problem(status, "INVALID_REQUEST", message, {"connection": "close"})
