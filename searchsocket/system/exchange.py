"""Network connections with a deadline: each wait gets the remaining time of its request."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from ssl import PROTOCOL_TLS_CLIENT, SSLContext

import httpcore
import httpx

from searchsocket.system.json_text import JsonObject

_MAX_HEAD_BYTES = 65_536  # before the body, including informational responses


class EnvironmentRefused(httpx.TransportError):
    """The environment names a proxy or certificates that cannot be used; the message names the variable."""


class Exchange:
    """One request and its response: the deadline, and the limit for data before the body."""

    def __init__(
        self, timeout_s: float, monotonic: Callable[[], float], least_bytes_per_s: float | None = None
    ) -> None:
        """Start the time of the request.

        Args:
            least_bytes_per_s: Each received byte extends the deadline by its time at this rate.
        """
        self._monotonic = monotonic
        self._least_bytes_per_s = least_bytes_per_s
        self._ends = monotonic() + timeout_s
        self._head_bytes = 0
        self._in_head = True

    def remaining_s(self, over: type[Exception]) -> float:
        """Remaining seconds; raises `over` if there are none."""
        remaining = self._ends - self._monotonic()
        if remaining <= 0:
            raise over("the request timed out")
        return remaining

    def read(self, stream: httpcore.NetworkStream, max_bytes: int) -> bytes:
        if self._in_head:
            max_bytes = min(max_bytes, _MAX_HEAD_BYTES - self._head_bytes)
            if max_bytes <= 0:
                raise httpcore.RemoteProtocolError(f"the response headers have more than {_MAX_HEAD_BYTES} bytes")
        data = stream.read(max_bytes, self.remaining_s(httpcore.ReadTimeout))
        self._head_bytes += len(data)
        if self._least_bytes_per_s:
            self._ends += len(data) / self._least_bytes_per_s
        return data

    def head_is_here(self) -> None:
        self._in_head = False


_CURRENT: ContextVar[Exchange] = ContextVar("exchange")


@contextmanager
def within(exchange: Exchange) -> Iterator[None]:
    """Assign all use of timed connections in this thread to one request, inside the block."""
    token = _CURRENT.set(exchange)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def current() -> Exchange:
    """The exchange of this thread."""
    return _CURRENT.get()


class TimedStream(httpcore.NetworkStream):
    """A connection, plain or TLS. It ignores the timeouts of single calls, which do not limit a whole request."""

    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return current().read(self._stream, max_bytes)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, current().remaining_s(httpcore.WriteTimeout))

    def start_tls(
        self, ssl_context: SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        timeout_s = current().remaining_s(httpcore.ConnectTimeout)
        return TimedStream(self._stream.start_tls(ssl_context, server_hostname, timeout_s))

    def close(self) -> None:
        self._stream.close()

    def get_extra_info(self, info: str) -> object:
        return self._stream.get_extra_info(info)


class TimedBackend(httpcore.SyncBackend):
    """Connects, sends and reads within the exchange of the thread."""

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        wait_s = current().remaining_s(httpcore.ConnectTimeout)
        return TimedStream(super().connect_tcp(host, port, wait_s, local_address, socket_options))


@cache
def _ssl_context(trust_env: bool) -> SSLContext:
    # Reading the certificates of the authorities takes 20 ms.
    try:
        return httpx.create_ssl_context(trust_env=trust_env)
    except OSError as error:  # with the errors of TLS
        names = [name for name in ("SSL_CERT_FILE", "SSL_CERT_DIR") if os.environ.get(name)]
        origin = f"in ${names[0]}" if trust_env and names else "of this machine"
        raise EnvironmentRefused(f"the certificates {origin} cannot be read: {error.strerror or error}") from error


def timed_transport(
    backend: httpcore.NetworkBackend,
    *,
    connections: int,
    trust_env: bool,
    is_encrypted: bool = True,
    keep_s: float = 5.0,
    proxy: str | None = None,
) -> httpx.HTTPTransport:
    """A transport that uses the backend for every connection; behind a SOCKS proxy, it uses httpx's own.

    Args:
        trust_env: The environment may set certificates.
        is_encrypted: False = it only connects without TLS, and reads no certificates.
        keep_s: How long an unused connection is kept.
        proxy: Address of the proxy to send requests through.

    Raises:
        EnvironmentRefused: The certificates cannot be read.
    """
    context = _ssl_context(trust_env) if is_encrypted else SSLContext(PROTOCOL_TLS_CLIENT)
    transport = httpx.HTTPTransport(verify=context, trust_env=trust_env, proxy=proxy)
    options: JsonObject = {
        "ssl_context": context,
        "max_connections": connections,
        "max_keepalive_connections": connections,
        "keepalive_expiry": keep_s,
        "network_backend": backend,
    }
    # httpx has no setting for the backend, so its connection pool is replaced.
    if proxy is None:
        transport._pool = httpcore.ConnectionPool(**options)
    elif not proxy.startswith("socks"):
        server = httpx.Proxy(proxy)
        transport._pool = httpcore.HTTPProxy(proxy_url=str(server.url), proxy_auth=server.raw_auth, **options)
    return transport
