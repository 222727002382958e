"""Who is asking: anybody, or somebody trusted with every scope and with source paths (DESIGN 7)."""

import hashlib
import hmac
import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import urlsplit

from starlette.datastructures import Headers

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
_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
_IPV6_CLIENT_PREFIX = 64  # what one subscriber is given
_KEPT = 256  # names and addresses that were read: each request brings four, mostly the same


@dataclass(frozen=True, slots=True)
class Caller:
    """One client, as far as it can be told."""

    trusted: bool
    address: str  # what the rate limit counts by


@dataclass(frozen=True, slots=True)
class TierRules:
    """How callers are told apart."""

    key_hash: bytes = b""  # sha256 of the key; empty: there is no key, so none is right
    trust_loopback: bool = False  # the setting, and only while the server is bound to loopback
    proxies: tuple[IPNetwork, ...] = field(default=())


def hash_key(key: str) -> bytes:
    """What is compared instead of the key itself; empty for an empty key."""
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).digest() if key else b""


def bearer_key(headers: Headers) -> str | None:
    """The key that the caller sent; None for no header and for other schemes, which mean somebody else."""
    scheme, _, key = headers.get("authorization", "").partition(" ")
    return key.strip() if scheme.lower() == "bearer" else None


def key_is_right(key: str, rules: TierRules) -> bool:
    """Compare in constant time; without a configured key, no key is right."""
    sent = hashlib.sha256(key.encode("latin-1", "replace")).digest()
    return bool(rules.key_hash) and hmac.compare_digest(sent, rules.key_hash)


def is_direct_loopback(headers: Headers, peer: str) -> bool:
    """Whether a program or page of this machine asks, and nobody through it.

    A page of another site can make a browser here send requests, also under a name of its own that it points to
    this machine; so the address is not enough: Host and Origin must be this machine's too.
    """
    return (
        is_loopback(peer)
        and not any(name in headers for name in _FORWARDED)
        and is_loopback(host_name(headers.get("host", "")))
        and ("origin" not in headers or is_loopback(_origin_host(headers["origin"])))
        and headers.get("sec-fetch-site", "none") != "cross-site"
    )


def client_address(headers: Headers, peer: str, proxies: Sequence[IPNetwork]) -> str:
    """The address that stands for one client: the peer, or what trusted proxies say of theirs; IPv6 by its /64."""
    address = peer
    if proxies:
        hops = [hop.strip() for value in headers.getlist("x-forwarded-for") for hop in value.split(",")]
        while hops and _in_networks(address, proxies):
            address = hops.pop()
    parsed = _parse(address)
    if parsed is None:
        return peer
    if isinstance(parsed, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((parsed, _IPV6_CLIENT_PREFIX), strict=False))
    return str(parsed)


def is_loopback(host: str) -> bool:
    """Whether a host name or address means this machine."""
    address = _parse(host)
    return address.is_loopback if address else host.lower().rstrip(".") in _LOOPBACK_NAMES


@lru_cache(maxsize=_KEPT)
def host_name(host: str) -> str:
    """The name in a Host header, in lower case, without port and brackets; "" when it cannot be read."""
    try:
        return (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def _origin_host(origin: str) -> str:
    try:
        return urlsplit(origin).hostname or ""
    except ValueError:
        return ""


def _in_networks(address: str, networks: Sequence[IPNetwork]) -> bool:
    parsed = _parse(address)
    return parsed is not None and any(parsed in network for network in networks)


@lru_cache(maxsize=_KEPT)
def _parse(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        parsed = ipaddress.ip_address(address.strip("[]").partition("%")[0])
    except ValueError:
        return None
    return getattr(parsed, "ipv4_mapped", None) or parsed
