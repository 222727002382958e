"""Origins whose pages may send requests: those of this service, and the listed ones."""

from dataclasses import dataclass

from starlette.datastructures import Headers

from search_api.gate.tiers import origin_host
from searchsocket.serving.hosts import host_name, is_loopback


@dataclass(frozen=True, slots=True)
class Origins:
    """Check the `Origin` header. A request without one is not from a page; only the other rules apply."""

    listed: frozenset[str]  # as browsers write them, https://app.example.com

    def allow(self, headers: Headers) -> bool:
        """Return True if every origin of a request is allowed."""
        own = host_name(headers.get("host", "")) or ""
        return all(self._is_allowed(origin, own) for origin in headers.getlist("origin"))

    def _is_allowed(self, origin: str, own: str) -> bool:
        if origin in self.listed or "*" in self.listed:
            return True
        name = origin_host(origin)
        return bool(name) and (name == own or (is_loopback(name) and is_loopback(own)))
