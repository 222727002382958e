"""Limit the number of open connections: keep those with a running request, then the newest idle ones."""

import contextlib
import ipaddress
from collections.abc import Iterable, Sequence
from typing import Protocol

from starlette.datastructures import Headers

from search_api.gate.tiers import IPNetwork, client_address

try:
    import resource
except ImportError:  # Windows, where files have no such limit
    resource = None  # type: ignore[assignment]

MAX_AN_ADDRESS = 64
_MAX_CONNECTIONS = 4_096  # some 20 KB each while they wait
_MAX_FILES = 65_536
_OTHER_FILES = 256  # those of indexes, and of connections that are being closed


class Connection(Protocol):
    """An open connection."""

    @property
    def address(self) -> str:
        """Address of the peer; "" if unknown."""

    def close(self) -> None:
        """Close the connection while it waits for the head of a request."""


class Connections:
    """The open connections of one server; use it from its event loop only."""

    def __init__(
        self, most: int = _MAX_CONNECTIONS, an_address: int = MAX_AN_ADDRESS, exempt: Sequence[IPNetwork] = ()
    ) -> None:
        """Start without connections.

        Args:
            most: Limit of open connections.
            an_address: Limit per client address.
            exempt: Networks of proxies, which bring the connections of many clients.
        """
        self._most = most
        self._an_address = an_address
        self._exempt = exempt
        self._open: set[Connection] = set()
        self._waiting: dict[Connection, None] = {}  # for a head; the longest wait first
        self._by_client: dict[str, dict[Connection, None]] = {}  # oldest first

    def __len__(self) -> int:
        return len(self._open)

    def add(self, connection: Connection) -> bool:
        """Add a connection, and close a waiting one for each limit that is reached; return False if none waits."""
        client = self._client(connection.address)
        own = self._by_client.get(client, {})
        if len(own) >= self._an_address and not self._close_first(each for each in own if each in self._waiting):
            return False
        if len(self._open) >= self._most and not self._close_first(self._waiting):
            return False
        self._open.add(connection)
        self._waiting[connection] = None
        if client:
            self._by_client.setdefault(client, {})[connection] = None
        return True

    def answering(self, connection: Connection) -> None:
        """Note that a connection sent a head, so it is not closed before its answer."""
        self._waiting.pop(connection, None)

    def waiting(self, connection: Connection) -> None:
        """Note that a connection was answered and may send another head."""
        if connection in self._open:
            self._waiting[connection] = None

    def remove(self, connection: Connection) -> None:
        """Remove a connection that is closed or about to be."""
        self._open.discard(connection)
        self._waiting.pop(connection, None)
        client = self._client(connection.address)
        own = self._by_client.get(client, {})
        own.pop(connection, None)
        if not own:
            self._by_client.pop(client, None)

    def _close_first(self, connections: Iterable[Connection]) -> bool:
        first = next(iter(connections), None)
        if first is not None:
            self.remove(first)
            first.close()
        return first is not None

    def _client(self, address: str) -> str:
        """The key under which a client is counted, as for the rate limit; "" for proxies and unknown addresses."""
        with contextlib.suppress(ValueError):
            parsed = ipaddress.ip_address(address.partition("%")[0])
            plain = getattr(parsed, "ipv4_mapped", None) or parsed
            return "" if any(plain in network for network in self._exempt) else client_address(Headers(), address, ())
        return ""


def allow_connections() -> int:
    """Raise this process's limit of open files; return how many of them connections may use."""
    if resource is None:
        return _MAX_CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = _MAX_FILES if hard == resource.RLIM_INFINITY else min(hard, _MAX_FILES)
    if soft != resource.RLIM_INFINITY and soft < limit:
        with contextlib.suppress(ValueError, OSError):  # a container may forbid it
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return most_connections(_MAX_FILES if files == resource.RLIM_INFINITY else files)


def most_connections(files: int) -> int:
    """The number of connections for a process with this limit of open files."""
    return min(_MAX_CONNECTIONS, max(files - _OTHER_FILES, files // 2))
