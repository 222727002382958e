"""Connections of the crawler: to the addresses that were checked, and never longer than a request may take."""

from collections.abc import Iterable
from typing import Any

import httpcore

from searchsocket.sources.crawl import addresses
from searchsocket.sources.crawl.addresses import ForbiddenAddress, is_public
from searchsocket.system.exchange import TimedStream, current


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
        exchange = current()
        resolved = addresses.resolve(host, port, exchange.left_s(httpcore.ConnectTimeout))
        refused = [address for address in resolved if not (self._allow_private or is_public(address))]
        if refused:
            raise ForbiddenAddress(f"host {host!r} resolves to the private address {refused[0]}; not crawled")
        failure: Exception | None = None
        for number, address in enumerate(resolved):
            wait_s = exchange.left_s(httpcore.ConnectTimeout) / (len(resolved) - number)  # the next one may answer
            try:
                return TimedStream(super().connect_tcp(address, port, wait_s, local_address, socket_options))
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure or httpcore.ConnectError(f"host {host!r} has no address")
