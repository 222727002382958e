"""Addresses that the crawler may connect to; checked after DNS, for exactly the address in use."""

import ipaddress
import socket
import threading
from concurrent.futures import Future

from searchsocket.errors import SourceUnavailable

_V4_REFUSED = (ipaddress.IPv4Network("192.0.0.0/24"), ipaddress.IPv4Network("192.88.99.0/24"))
_V6_GLOBAL = ipaddress.IPv6Network("2000::/3")
# Protocols and tunnels (Teredo among them), 6to4, documentation. Older Python versions treat some of them as global.
_V6_REFUSED = tuple(map(ipaddress.IPv6Network, ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")))
# Packets to these networks reach the IPv4 address in their last 32 bits: mapped, and NAT64.
_V4_INSIDE = (ipaddress.IPv6Network("::ffff:0:0/96"), ipaddress.IPv6Network("64:ff9b::/96"))


class ForbiddenAddress(SourceUnavailable):
    """A host name resolves to a private address although the base URL does not."""


def is_public(address: str) -> bool:
    """Return True if an IP address is reachable on the public internet and has no special meaning inside a network."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        if any(ip in network for network in _V4_INSIDE):
            return is_public(str(ipaddress.IPv4Address(int(ip) & 0xFFFF_FFFF)))
        return ip in _V6_GLOBAL and ip.is_global and not any(ip in network for network in _V6_REFUSED)
    return ip.is_global and not ip.is_multicast and not any(ip in network for network in _V4_REFUSED)


def resolve(host: str, port: int, timeout_s: float) -> list[str]:
    """All addresses of a host.

    Raises:
        SourceUnavailable: The name cannot be resolved, or not in time.
    """
    answer: Future[list[str]] = Future()
    # The system's resolver has no timeout. A daemon thread does not delay the exit of the process.
    threading.Thread(target=_look_up, args=(answer, host, port), name="resolve", daemon=True).start()
    try:
        addresses = answer.result(timeout_s)
    except TimeoutError as error:
        raise SourceUnavailable(f"host {host!r} was not resolved within {timeout_s:.3g} s") from error
    except (OSError, UnicodeError) as error:
        raise SourceUnavailable(f"host {host!r} cannot be resolved: {error}") from error
    return list(dict.fromkeys(addresses))


def _look_up(answer: "Future[list[str]]", host: str, port: int) -> None:
    try:
        entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        answer.set_result([str(entry[4][0]) for entry in entries])
    except (OSError, UnicodeError) as error:  # raised again in `resolve`
        answer.set_exception(error)
