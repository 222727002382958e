"""Connections that a host cannot hold: each wait on the network gets the time that its request has left."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from ssl import SSLContext
from typing import Any

import httpcore
import httpx

from searchsocket.sources.crawl import addresses
from searchsocket.sources.crawl.addresses import ForbiddenAddress, is_public

_MAX_HEAD_BYTES = 65_536  # before the body, informational answers included


class Exchange:
    """One request and its answer: the moment at which it ends, and how much may come before the body."""

    def __init__(self, timeout_s: float, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._ends = monotonic() + timeout_s
        self._head_bytes = 0
        self._in_head = True

    def left_s(self, over: type[Exception]) -> float:
        """Seconds left, above 0; raises `over` when there are none."""
        left = self._ends - self._monotonic()
        if left <= 0:
            raise over("the time of the request is over")
        return left

    def read(self, stream: httpcore.NetworkStream, max_bytes: int) -> bytes:
        if self._in_head:
            max_bytes = min(max_bytes, _MAX_HEAD_BYTES - self._head_bytes)
            if max_bytes <= 0:
                raise httpcore.RemoteProtocolError(f"more than {_MAX_HEAD_BYTES} bytes came before the answer")
        data = stream.read(max_bytes, self.left_s(httpcore.ReadTimeout))
        self._head_bytes += len(data)
        return data

    def head_is_here(self) -> None:
        self._in_head = False


_CURRENT: ContextVar[Exchange] = ContextVar("exchange")


@contextmanager
def exchange(timeout_s: float, monotonic: Callable[[], float]) -> Iterator[Exchange]:
    """Within this, all that the thread does on a guarded transport belongs to one request."""
    current = Exchange(timeout_s, monotonic)
    token = _CURRENT.set(current)
    try:
        yield current
    finally:
        _CURRENT.reset(token)


class _TimedStream(httpcore.NetworkStream):
    """A connection, plain or TLS. The timeouts it is handed are for one wait each, so they are not looked at."""

    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return _CURRENT.get().read(self._stream, max_bytes)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, _CURRENT.get().left_s(httpcore.WriteTimeout))

    def start_tls(
        self, ssl_context: SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        left = _CURRENT.get().left_s(httpcore.ConnectTimeout)
        return _TimedStream(self._stream.start_tls(ssl_context, server_hostname, left))

    def close(self) -> None:
        self._stream.close()

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


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
        current = _CURRENT.get()
        found = addresses.resolve(host, port, current.left_s(httpcore.ConnectTimeout))
        refused = [address for address in found if not (self._allow_private or is_public(address))]
        if refused:
            raise ForbiddenAddress(f"host {host!r} leads to the private address {refused[0]}; it is not crawled")
        failure: Exception | None = None
        for number, address in enumerate(found):
            wait_s = current.left_s(httpcore.ConnectTimeout) / (len(found) - number)  # the next one may answer
            try:
                return _TimedStream(super().connect_tcp(address, port, wait_s, local_address, socket_options))
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
