"""Which addresses the crawler may connect to: the answer is given after DNS, for the very address that is used."""

import ipaddress
import socket
from collections.abc import Iterable
from typing import Any

import httpcore
import httpx

from searchsocket.errors import SourceUnavailable

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class ForbiddenAddress(SourceUnavailable):
    """A host name leads to an address inside a private network, and the base URL does not."""


def is_public(address: str) -> bool:
    """Whether an IP address is reachable on the public internet; IPv4 inside IPv6 counts as that IPv4."""
    ip: Address = ipaddress.ip_address(address.partition("%")[0])
    inner = getattr(ip, "ipv4_mapped", None) or getattr(ip, "sixtofour", None)
    teredo = getattr(ip, "teredo", None)
    inner = inner or (teredo[1] if teredo else None)
    return ip.is_global and not ip.is_multicast and (inner is None or is_public(str(inner)))


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
