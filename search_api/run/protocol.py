"""Close connections whose request head is late or too large, and connections over the limit.

uvicorn waits for ever: a few thousand idle connections would lock everybody else out.
"""

import asyncio
import importlib.util
import logging
from typing import Any

from search_api.errors import BUSY
from search_api.run.connections import Connections

HEAD_TIMEOUT_S = 10.0
MAX_HEAD_BYTES = 65_536
_REFUSAL = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 1\r\n"
    b"Connection: close\r\nContent-Length: %d\r\n\r\n%s" % (len(BUSY), BUSY)
)
_log = logging.getLogger("searchsocket.api")


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
