"""Parse names and addresses of hosts."""

import ipaddress
import re
from functools import lru_cache

_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
_MAX_ENTRIES = 256  # parsed names and addresses; each request has four, mostly the same
_NAME = r"(?=[^:]{1,255}(?::|\Z))[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.?"
_AUTHORITY = re.compile(rf"(?:\[([0-9A-Fa-f:.]{{2,45}})\]|({_NAME}))(?::[0-9]{{0,5}})?")


def is_loopback(host: str) -> bool:
    """Return True if a host name or address means this machine."""
    address = parse_address(host)
    return address.is_loopback if address else host.lower().rstrip(".") in _LOOPBACK_NAMES


@lru_cache(maxsize=_MAX_ENTRIES)
def host_name(host: str) -> str | None:
    """The name in `host[:port]` (RFC 9110 7.2), in lower case and without brackets; None if it is invalid.

    Invalid input is not repaired: programs disagree on the part that is the name.
    """
    if not host:
        return ""  # sent by clients without a host
    match = _AUTHORITY.fullmatch(host)
    if match is None or (match[1] and (":" not in match[1] or parse_address(match[1]) is None)):
        return None
    return (match[1] or match[2]).lower().removesuffix(".")


@lru_cache(maxsize=_MAX_ENTRIES)
def parse_address(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Parse an IP address, without brackets, zone and the mapping of IPv4 into IPv6; None if it is invalid."""
    try:
        parsed = ipaddress.ip_address(address.strip("[]").partition("%")[0])
    except ValueError:
        return None
    return getattr(parsed, "ipv4_mapped", None) or parsed
