"""HTTP requests with one deadline and one size limit, for every client of this package.

httpx limits each read only, so a slow-drip server would block a request for ever. It also decompresses data of any
size.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from threading import Lock
from typing import Any

import httpcore
import httpx

from searchsocket.system.encoding import ACCEPTED, BodyTooLarge, DamagedBody, EncodingRefused, unpacked_parts
from searchsocket.system.exchange import EnvironmentRefused, Exchange, TimedBackend, timed_transport, within
from searchsocket.system.proxies import environment_proxies, proxy_problem

_CONNECTIONS = 32
_UNPACKED_HEADERS = frozenset({b"content-encoding", b"content-length", b"transfer-encoding"})
_MAX_BYTES: ContextVar[int | None] = ContextVar("max_bytes", default=None)


@contextmanager
def at_most(max_bytes: int) -> Iterator[None]:
    """Limit the size of responses inside the block, for clients that have no such option."""
    token = _MAX_BYTES.set(max_bytes)
    try:
        yield
    finally:
        _MAX_BYTES.reset(token)


class BoundedTransport(httpx.BaseTransport):
    """Sends each request once, and stops it at its deadline.

    The `timeout` of a request applies to all of it: from the first packet to the last byte of the response.
    """

    def __init__(
        self,
        timeout_s: float,
        max_bytes: int,
        *,
        least_bytes_per_s: float | None = None,
        backend: httpcore.NetworkBackend | None = None,
        proxy: str | None = None,
        connections: int = _CONNECTIONS,
        trust_env: bool = True,
        keep_s: float = 5.0,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Configure the transport; connections open later.

        Args:
            timeout_s: Longest time of a request; a client may set a shorter one.
            max_bytes: Limit of a body, both as received and decompressed.
            least_bytes_per_s: Received bytes extend the deadline as if they arrived at this rate; for large files.
            backend: Opens connections; default: any address.
            proxy: Address of the proxy to send requests through.
            trust_env: The environment may set certificates.
            keep_s: How long an unused connection is kept.
        """
        self._timeout_s = timeout_s
        self._max_bytes = max_bytes
        self._least_bytes_per_s = least_bytes_per_s
        self._monotonic = monotonic
        self._open = partial(
            timed_transport,
            backend or TimedBackend(),
            connections=connections,
            trust_env=trust_env,
            keep_s=keep_s,
            proxy=proxy,
        )
        self._proxy = proxy or ""
        self._transports: dict[bool, httpx.HTTPTransport] = {}  # by use of TLS
        self._opening = Lock()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return a response whose body raises as soon as it exceeds a limit.

        Raises:
            httpx.TimeoutException: The deadline passed; also raised by reading the body.
            httpx.TransportError: Connecting, sending or receiving failed; also raised by reading the body.
            EnvironmentRefused: The proxy or the certificates in the environment cannot be used.
            BodyLimit: When reading the body: it is too large, damaged, or has another encoding.
        """
        if request.headers.get("accept-encoding") != "identity":
            request.headers["Accept-Encoding"] = ACCEPTED
        transport = self._transport_for(request.url)
        current = Exchange(self._time_of(request), self._monotonic, self._least_bytes_per_s)
        with within(current):
            response = transport.handle_request(request)
        current.head_is_here()
        max_bytes = _MAX_BYTES.get() or self._max_bytes
        encodings = response.headers.get_list("content-encoding", split_commas=True)
        # As bytes: values such as that of `Location` may have any letters.
        dropped = _UNPACKED_HEADERS if encodings else _UNPACKED_HEADERS - {b"content-length"}
        headers = [(name, value) for name, value in response.headers.raw if name.lower() not in dropped]
        return httpx.Response(
            response.status_code,
            headers=headers,
            stream=_BoundedBody(response, current, encodings, max_bytes),
            extensions=response.extensions,
        )

    def close(self) -> None:
        """Close all connections."""
        for transport in self._transports.values():
            transport.close()

    def _transport_for(self, url: httpx.URL) -> httpx.HTTPTransport:
        # Only TLS needs certificates: a server of this machine answers without them.
        is_encrypted = self._proxy.startswith("https:") or url.scheme == "https"
        with self._opening:
            if is_encrypted not in self._transports:
                try:
                    self._transports[is_encrypted] = self._open(is_encrypted=is_encrypted)
                except (ImportError, ValueError, httpx.InvalidURL) as error:
                    raise EnvironmentRefused(proxy_problem(self._proxy, error)) from error
            return self._transports[is_encrypted]

    def _time_of(self, request: httpx.Request) -> float:
        timeout_s = request.extensions.get("timeout", {}).get("read")
        return self._timeout_s if timeout_s is None else min(timeout_s, self._timeout_s)


class BodyLimit(httpx.ReadError):
    """A body is larger than allowed, damaged, or has an encoding that was not offered.

    Attributes:
        is_final: The same request would fail in the same way.
    """

    def __init__(self, message: str, *, is_final: bool) -> None:
        super().__init__(message)
        self.is_final = is_final


class _BoundedBody(httpx.SyncByteStream):
    """Body of a response, decompressed part by part within the exchange of its request."""

    def __init__(self, response: httpx.Response, current: Exchange, encodings: list[str], max_bytes: int) -> None:
        self._response = response
        self._current = current
        self._encodings = encodings
        self._max_bytes = max_bytes

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from unpacked_parts(self._received_parts(), self._encodings, self._max_bytes)
        except (BodyTooLarge, EncodingRefused, DamagedBody) as error:
            raise BodyLimit(f"the answer is {error}", is_final=not isinstance(error, DamagedBody)) from error

    def close(self) -> None:
        self._response.close()

    def _received_parts(self) -> Iterator[bytes]:
        assert isinstance(self._response.stream, httpx.SyncByteStream)
        parts = iter(self._response.stream)
        while True:
            with within(self._current):
                part = next(parts, None)
            if part is None:
                return
            yield part


def bounded_client(timeout_s: float, max_bytes: int, **options: Any) -> httpx.Client:
    """A client that bounds every request, also through the proxies in the environment.

    Args:
        options: Of `BoundedTransport` if it has them, else of `httpx.Client`.
    """
    bounds = {name: options.pop(name) for name in ("least_bytes_per_s", "keep_s", "monotonic") if name in options}
    transport = _EnvironmentTransport(partial(BoundedTransport, timeout_s, max_bytes, **bounds))
    return httpx.Client(transport=transport, timeout=timeout_s, **options)


def failure_reason(error: BaseException) -> str:
    """The reason of a failed request, without its address and headers."""
    return str(error) if isinstance(error, EnvironmentRefused) else type(error).__name__


class _EnvironmentTransport(httpx.BaseTransport):
    """Sends a request through the proxy that the environment names for its address, if any."""

    def __init__(self, make: Callable[..., BoundedTransport]) -> None:
        self._make = make
        self._proxies = environment_proxies()
        self._transports: dict[str, BoundedTransport] = {}  # by proxy; "" = none
        self._opening = Lock()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        proxy = self._proxies.of(request.url)
        with self._opening:
            transport = self._transports.get(proxy)
            if transport is None:
                transport = self._transports[proxy] = self._make(proxy=proxy or None)
        return transport.handle_request(request)

    def close(self) -> None:
        for transport in self._transports.values():
            transport.close()
