"""Which addresses the crawler may connect to: the answer is given after DNS, for the very address that is used."""

import ipaddress
import socket
from collections.abc import Iterable
from typing import Any

import httpcore
import httpx

from searchsocket.errors import SourceUnavailable

_V4_REFUSED = (ipaddress.IPv4Network("192.0.0.0/24"), ipaddress.IPv4Network("192.88.99.0/24"))
_V6_GLOBAL = ipaddress.IPv6Network("2000::/3")
# Protocols and tunnels (Teredo among them), 6to4, documentation. Older Pythons take some of them for global.
_V6_REFUSED = tuple(map(ipaddress.IPv6Network, ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")))
# What is sent to one of these arrives at the IPv4 address in its last 32 bits: mapped, and NAT64.
_V4_INSIDE = (ipaddress.IPv6Network("::ffff:0:0/96"), ipaddress.IPv6Network("64:ff9b::/96"))


class ForbiddenAddress(SourceUnavailable):
    """A host name leads to an address inside a private network, and the base URL does not."""


def is_public(address: str) -> bool:
    """Whether an IP address is reachable on the public internet, and means nothing else inside a network."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        if any(ip in network for network in _V4_INSIDE):
            return is_public(str(ipaddress.IPv4Address(int(ip) & 0xFFFF_FFFF)))
        return ip in _V6_GLOBAL and ip.is_global and not any(ip in network for network in _V6_REFUSED)
    return ip.is_global and not ip.is_multicast and not any(ip in network for network in _V4_REFUSED)


def resolve(host: str, port: int) -> list[str]:
    """All addresses of a host.

    Raises:
        SourceUnavailable: The name cannot be resolved.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise SourceUnavailable(f"host {host!r} cannot be resolved: {error}") from error
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class GuardedBackend(httpcore.SyncBackend):
    """Connects to the address that was checked, so that a second DNS answer cannot differ from the first."""

    def __init__(self, *, allow_private: bool) -> None:
        self._allow_private = allow_private

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        addresses = resolve(host, port)
        refused = [address for address in addresses if not (self._allow_private or is_public(address))]
        if refused:
            raise ForbiddenAddress(f"host {host!r} leads to the private address {refused[0]}; it is not crawled")
        failure: Exception | None = None
        for address in addresses:
            try:
                return super().connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure or httpcore.ConnectError(f"host {host!r} has no address")


def guarded_transport(*, allow_private: bool, connections: int) -> httpx.HTTPTransport:
    """A transport whose every connection goes through the guard."""
    transport = httpx.HTTPTransport(trust_env=False)
    # httpx has no setting for the backend; the pool that it would build itself is put in its place.
    transport._pool = httpcore.ConnectionPool(
        ssl_context=httpx.create_ssl_context(trust_env=False),
        max_connections=connections,
        max_keepalive_connections=connections,
        keepalive_expiry=5.0,
        network_backend=GuardedBackend(allow_private=allow_private),
    )
    return transport
