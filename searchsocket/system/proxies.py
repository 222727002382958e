"""Proxies in the environment (`HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY`), by the rules of curl and Go.

httpx fails at its start for a network or an address in brackets in `NO_PROXY`, and for a SOCKS proxy that it never
uses.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from urllib.request import getproxies

import httpx


@dataclass(frozen=True, slots=True)
class Proxies:
    """Addresses of proxies by scheme, and the hosts that need none."""

    by_scheme: Mapping[str, str]
    exceptions: tuple[str, ...]

    def of(self, url: httpx.URL) -> str:
        """The proxy for an address; "" if it is requested directly."""
        proxy = self.by_scheme.get(url.scheme) or self.by_scheme.get("all", "")
        if not proxy or any(_matches(url.host, url.port, exception) for exception in self.exceptions):
            return ""
        return proxy if "://" in proxy else f"http://{proxy}"


def environment_proxies() -> Proxies:
    """The proxies that the environment names now, or the settings of the system on macOS and Windows."""
    found = getproxies()
    exceptions = (entry.strip().lower() for entry in found.pop("no", "").split(","))
    return Proxies(found, tuple(filter(None, exceptions)))


def proxy_problem(proxy: str, error: Exception) -> str:
    """Why a proxy cannot be used, by its variable: its address may contain a password."""
    scheme = next((scheme for scheme, address in getproxies().items() if proxy.endswith(address)), "all")
    reason = "SOCKS needs the package socksio" if isinstance(error, ImportError) else "its address is invalid"
    return f"the proxy in ${scheme.upper()}_PROXY cannot be used: {reason}"


def _matches(host: str, port: int | None, exception: str) -> bool:
    """Return True if an entry of `NO_PROXY` covers a host: `*`, an address or a network, or a name and those below."""
    if exception == "*":
        return True
    try:
        network = ip_network(exception.strip("[]"), strict=False)
    except ValueError:
        name, _, only_port = exception.partition(":")
        name = name.removeprefix("*").removeprefix(".")
        return (not only_port or only_port == str(port)) and (host == name or host.endswith(f".{name}"))
    try:
        return ip_address(host) in network
    except ValueError:
        return False
