"""A connection that sends no complete request head in time, or too large a one, is closed.

uvicorn waits for ever, so that a few thousand idle connections would lock everybody else out.
"""

import asyncio
import importlib.util
from typing import Any

HEAD_TIMEOUT_S = 10.0
MAX_HEAD_BYTES = 65_536


class DeadlineMixin:
    """Stands before one of uvicorn's HTTP protocols, whose methods it extends."""

    head_timeout_s = HEAD_TIMEOUT_S
    transport: asyncio.Transport
    cycle: Any  # the request under way; None before the first

    def connection_made(self, transport: asyncio.Transport) -> None:
        self._timer: asyncio.TimerHandle | None = None
        self._head_bytes = 0
        super().connection_made(transport)  # type: ignore[misc]
        self._arm()

    def data_received(self, data: bytes) -> None:
        waiting = self._waits_for_head()
        self._head_bytes = self._head_bytes + len(data) if waiting else 0
        super().data_received(data)  # type: ignore[misc]
        if not self._waits_for_head():
            self._disarm()
        elif self._head_bytes > MAX_HEAD_BYTES:
            self.transport.close()
        else:
            self._arm()

    def on_response_complete(self) -> None:
        self._head_bytes = 0
        super().on_response_complete()  # type: ignore[misc]

    def connection_lost(self, exc: Exception | None) -> None:
        self._disarm()
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


def protocol_with_deadline(head_timeout_s: float = HEAD_TIMEOUT_S) -> type[asyncio.Protocol]:
    """The fastest HTTP protocol that is installed, with a deadline."""
    base: Any
    if importlib.util.find_spec("httptools"):
        from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol as base
    else:
        from uvicorn.protocols.http.h11_impl import H11Protocol as base
    return type("DeadlineProtocol", (DeadlineMixin, base), {"head_timeout_s": head_timeout_s})
