"""Limit the connections of a server: their number, and the time and size of a request's head.

Over the limit, those with a running request stay open, then the newest idle ones. Without a deadline, uvicorn waits for
ever: a few thousand idle connections would lock everybody else out.
"""

import asyncio
import contextlib
import importlib.util
import ipaddress
import logging
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from starlette.datastructures import Headers

from search_api.errors import BUSY
from search_api.gate.callers import IPNetwork, client_address

try:
    import resource
except ImportError:  # Windows, where files have no such limit
    resource = None  # type: ignore[assignment]

HEAD_TIMEOUT_S = 10.0
MAX_HEAD_BYTES = 65_536
MAX_AN_ADDRESS = 64
_MAX_CONNECTIONS = 4_096  # some 20 KB each while they wait
_MAX_FILES = 65_536
_OTHER_FILES = 256  # those of indexes, and of connections that are being closed
_REFUSAL = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 1\r\n"
    b"Connection: close\r\nContent-Length: %d\r\n\r\n%s" % (len(BUSY), BUSY)
)
_log = logging.getLogger("searchsocket.api")


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


class DeadlineMixin:
    """Extends one of uvicorn's HTTP protocols with a deadline and limits."""

    head_timeout_s = HEAD_TIMEOUT_S
    connection_limit: Connections
    transport: asyncio.Transport
    client: tuple[str, int] | None
    cycle: Any  # the current request; None before the first

    @property
    def address(self) -> str:
        return self.client[0] if self.client else ""

    def close(self) -> None:
        self.transport.close()

    def connection_made(self, transport: asyncio.Transport) -> None:
        self._timer: asyncio.TimerHandle | None = None
        self._head_bytes = 0
        super().connection_made(transport)  # type: ignore[misc]
        if self.connection_limit.add(self):
            self._arm()
        else:
            _log.warning("refused a connection: all open connections are busy")
            transport.write(_REFUSAL)
            transport.close()

    def data_received(self, data: bytes) -> None:
        waiting = self._waits_for_head()
        self._head_bytes = self._head_bytes + len(data) if waiting else 0
        super().data_received(data)  # type: ignore[misc]
        if not self._waits_for_head():
            self.connection_limit.answering(self)
            self._disarm()
        elif self._head_bytes > MAX_HEAD_BYTES:
            self.transport.close()
        else:
            self._arm()

    def on_response_complete(self) -> None:
        self._head_bytes = 0
        super().on_response_complete()  # type: ignore[misc]
        if self._waits_for_head():
            self.connection_limit.waiting(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._disarm()
        self.connection_limit.remove(self)
        super().connection_lost(exc)  # type: ignore[misc]

    def _waits_for_head(self) -> bool:
        return self.cycle is None or bool(self.cycle.response_complete)

    def _arm(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self.head_timeout_s, self._expire)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _expire(self) -> None:
        self._timer = None
        if self._waits_for_head():
            self.transport.close()


def protocol_with_deadline(
    head_timeout_s: float = HEAD_TIMEOUT_S, connections: Connections | None = None
) -> type[asyncio.Protocol]:
    """Return the fastest installed HTTP protocol, with a deadline, for one server.

    Args:
        connections: The open connections and their limits; None = the default limits.
    """
    base: Any
    if importlib.util.find_spec("httptools"):
        from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol as base
    else:
        from uvicorn.protocols.http.h11_impl import H11Protocol as base
    connections = Connections() if connections is None else connections
    return type(
        "DeadlineProtocol", (DeadlineMixin, base), {"head_timeout_s": head_timeout_s, "connection_limit": connections}
    )
