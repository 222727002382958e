"""Callers: their access level, anonymous or trusted with every scope and with source paths, and their rate limit."""

import hashlib
import hmac
import ipaddress
import math
import re
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Scope

from search_api.errors import error_response
from searchsocket.errors import RateLimited
from searchsocket.project.settings.model import RateLimitSettings
from searchsocket.serving.hosts import host_name, is_loopback, parse_address

IPNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network
_FORWARDED = (
    "forwarded",
    "via",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-real-ip",
    "cf-connecting-ip",
    "true-client-ip",
)
VISITOR = "x-searchsocket-visitor"
_IPV6_CLIENT_PREFIX = 64  # the usual prefix of one subscriber, in bits
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://(.+)")
MAX_CLIENTS = 50_000  # remembered at once, some 40 MB; the least recent one is forgotten first


@dataclass(frozen=True, slots=True)
class TierRules:
    """Rules that identify trusted callers."""

    key_hash: bytes = b""  # sha256 of the key or the token; empty: neither is configured, so no key is right
    dev: bool = False  # trust direct callers on this machine without a key
    proxies: tuple[IPNetwork, ...] = field(default=())


def hash_key(key: str) -> bytes:
    """The hash that is compared instead of the key; empty for an empty key."""
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).digest() if key else b""


def bearer_key(headers: Headers) -> str | None:
    """Return the key that the caller sent; None without the header and for other schemes."""
    scheme, _, key = headers.get("authorization", "").partition(" ")
    return key.strip() if scheme.lower() == "bearer" else None


def is_trusted(headers: Headers, peer: str, rules: TierRules) -> bool:
    """Return True for the right key, and in dev mode for callers on this machine that send no key."""
    key = bearer_key(headers)
    if key is None:
        return rules.dev and _is_direct_loopback(headers, peer)
    sent = hashlib.sha256(key.encode("latin-1", "replace")).digest()
    # Compared in constant time; without a configured key, no key is right.
    return bool(rules.key_hash) and hmac.compare_digest(sent, rules.key_hash)


def peer_address(scope: Scope) -> str:
    """The address of the other end of a connection; "" for a socket that has none."""
    return str((scope.get("client") or ("",))[0])


def _is_direct_loopback(headers: Headers, peer: str) -> bool:
    """Return True if the caller is a program on this machine and no proxy is involved.

    Sufficient for `serve --dev` only: a proxy that adds no headers looks the same.
    A page of another site can make a local browser send requests, even under its own name that resolves to this
    machine. So Host and Origin must be this machine's too.
    """
    return (
        is_loopback(peer)
        and not any(name in headers for name in _FORWARDED)
        and is_loopback(host_name(headers.get("host", "")) or "")
        and all(is_loopback(origin_host(origin)) for origin in headers.getlist("origin"))
        and headers.get("sec-fetch-site", "none") != "cross-site"
    )


def client_address(headers: Headers, peer: str, proxies: Sequence[IPNetwork]) -> str:
    """Return the address that identifies a client: the peer's, or what trusted proxies report; IPv6 by its /64."""
    address = peer
    if proxies:
        hops = [hop.strip() for value in headers.getlist("x-forwarded-for") for hop in value.split(",")]
        while hops and _in_networks(address, proxies):
            address = hops.pop()
    return _client(address) or peer


def visitor_address(headers: Headers) -> str | None:
    """Return the address of the anonymous visitor for whom a site sends a request; None if it asks for itself.

    Sites on edge runtimes have no fixed addresses and cannot be listed as proxies. Their key identifies them.
    """
    stated = headers.get(VISITOR)
    if stated is None:
        return None
    return _client(stated.strip()) or "unknown"


def _client(address: str) -> str:
    """The key under which a client is counted; "" for an invalid address."""
    parsed = parse_address(address)
    if parsed is None:
        return ""
    if isinstance(parsed, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((parsed, _IPV6_CLIENT_PREFIX), strict=False))
    return str(parsed)


def origin_host(origin: str) -> str:
    """The host name in an `Origin`; "" if it is invalid."""
    match = _ORIGIN.fullmatch(origin)
    return (host_name(match[1]) if match else None) or ""


def _in_networks(address: str, networks: Sequence[IPNetwork]) -> bool:
    parsed = parse_address(address)
    return parsed is not None and any(parsed in network for network in networks)


class RateLimit:
    """At most `settings.max` requests per client in any `settings.window_ms`; use it from the event loop only.

    Each process of `serve --workers` counts separately; for an exact limit, use the proxy's.

    Args:
        clock: Monotonic seconds; a wall clock that is set back would lock clients out for as long.
    """

    def __init__(self, settings: RateLimitSettings, clock: Callable[[], float] = time.monotonic) -> None:
        self._max = settings.max
        self._window_s = settings.window_ms / 1000
        self._clock = clock
        # Times of accepted requests by client; the most recent client is last.
        self._times: OrderedDict[str, deque[float]] = OrderedDict()

    def hit(self, client: str) -> float | None:
        """Count a request; return None if it may pass, else the seconds until one may."""
        now = self._clock()
        self._forget_idle(now)
        times = self._times.setdefault(client, deque())
        self._times.move_to_end(client)
        while times and times[0] <= now - self._window_s:
            times.popleft()
        if len(times) >= self._max:
            return times[0] + self._window_s - now
        times.append(now)
        return None

    def headers(self, client: str) -> list[tuple[bytes, bytes]]:
        """The client's remaining requests, as `RateLimit-*` headers."""
        times = self._times.get(client)
        remaining = self._max - len(times) if times else self._max
        reset = math.ceil(times[0] + self._window_s - self._clock()) if times else math.ceil(self._window_s)
        return [
            (b"ratelimit-limit", b"%d" % self._max),
            (b"ratelimit-remaining", b"%d" % max(remaining, 0)),
            (b"ratelimit-reset", b"%d" % max(reset, 0)),
        ]

    @property
    def clients(self) -> int:
        """The number of known clients."""
        return len(self._times)

    def _forget_idle(self, now: float) -> None:
        while self._times:
            client = next(iter(self._times))
            if len(self._times) < MAX_CLIENTS and self._times[client][-1] > now - self._window_s:
                return
            del self._times[client]

    def refusal(self, wait_s: float) -> Response:
        """Return a 429 with the seconds to wait."""
        seconds = max(math.ceil(wait_s), 1)
        error = RateLimited(f"at most {self._max} requests in {self._window_s:g} s; try again in {seconds} s")
        return error_response(error, {"retry-after": str(seconds)})
