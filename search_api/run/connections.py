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
    """A connection, as its protocol keeps it."""

    @property
    def address(self) -> str:
        """Of the peer; "" where there is none."""

    def close(self) -> None:
        """Close it: it waits for the head of a request."""


class Connections:
    """The open connections of one server; used by its event loop alone."""

    def __init__(
        self, most: int = _MAX_CONNECTIONS, an_address: int = MAX_AN_ADDRESS, exempt: Sequence[IPNetwork] = ()
    ) -> None:
        """Keep `most`, of them so many of `an_address`.

        Args:
            exempt: Networks of proxies, which bring the connections of many clients.
        """
        self._most = most
        self._an_address = an_address
        self._exempt = exempt
        self._open: set[Connection] = set()
        self._waiting: dict[Connection, None] = {}  # for a head; the one that waits longest stands first
        self._of: dict[str, dict[Connection, None]] = {}  # by the address that counts, the oldest first

    def __len__(self) -> int:
        return len(self._open)

    def add(self, connection: Connection) -> bool:
        """Take a connection in, and close one that waits for each that is too many; False where none waits."""
        counted = self._counted(connection.address)
        own = self._of.get(counted, {})
        if len(own) >= self._an_address and not self._close_first(other for other in own if other in self._waiting):
            return False
        if len(self._open) >= self._most and not self._close_first(self._waiting):
            return False
        self._open.add(connection)
        self._waiting[connection] = None
        if counted:
            self._of.setdefault(counted, {})[connection] = None
        return True

    def answering(self, connection: Connection) -> None:
        """It has sent a head, so it is not closed before it is answered."""
        self._waiting.pop(connection, None)

    def waiting(self, connection: Connection) -> None:
        """It was answered, and may send another head."""
        if connection in self._open:
            self._waiting[connection] = None

    def remove(self, connection: Connection) -> None:
        """It is closed, or about to be."""
        self._open.discard(connection)
        self._waiting.pop(connection, None)
        counted = self._counted(connection.address)
        own = self._of.get(counted, {})
        own.pop(connection, None)
        if not own:
            self._of.pop(counted, None)

    def _close_first(self, connections: Iterable[Connection]) -> bool:
        first = next(iter(connections), None)
        if first is not None:
            self.remove(first)
            first.close()
        return first is not None

    def _counted(self, address: str) -> str:
        """The key under which a client is counted, as for the rate limit; "" for proxies and unknown addresses."""
        with contextlib.suppress(ValueError):
            parsed = ipaddress.ip_address(address.partition("%")[0])
            plain = getattr(parsed, "ipv4_mapped", None) or parsed
            return "" if any(plain in network for network in self._exempt) else client_address(Headers(), address, ())
        return ""


def allow_connections() -> int:
    """Raise the number of files that this process may open, and give how many of them connections may be."""
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
