"""Requests that end, and answers that fit: the client bounds each read alone, so one that drips would hold a query."""

import time
from collections.abc import Callable, Iterator

import httpx

from searchsocket.system.exchange import Exchange, TimedBackend, exchange, timed_transport

_MAX_ANSWER_BYTES = 64_000_000  # sixteen times what the service says it answers at most
_CONNECTIONS = 32


class BoundedTransport(httpx.BaseTransport):
    """One try for each request, within its time from the first packet to the last byte."""

    def __init__(self, timeout_s: float, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._timeout_s = timeout_s
        self._monotonic = monotonic
        self._inner = timed_transport(TimedBackend(), connections=_CONNECTIONS, trust_env=True, keep_s=60.0)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer, with the whole body read.

        Raises:
            httpx.TransportError: It took too long, or was too large, or was cut.
        """
        with exchange(self._timeout_s, self._monotonic) as current:
            response = self._inner.handle_request(request)
            try:
                body = b"".join(_parts(response, request, current))
            finally:
                response.close()
        return httpx.Response(response.status_code, headers=response.headers, stream=httpx.ByteStream(body))

    def close(self) -> None:
        """Let go of all connections."""
        self._inner.close()


def _parts(response: httpx.Response, request: httpx.Request, current: Exchange) -> Iterator[bytes]:
    current.head_is_here()
    size = 0
    for part in response.stream if isinstance(response.stream, httpx.SyncByteStream) else ():
        size += len(part)
        if size > _MAX_ANSWER_BYTES:
            raise httpx.ReadError(f"the answer is larger than {_MAX_ANSWER_BYTES} bytes", request=request)
        yield part
