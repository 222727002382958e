"""Runs the service in this process until it is told to stop."""

import contextlib
import gc
import signal
import socket
from collections.abc import Callable, Iterator, Mapping

import uvicorn

from search_api.app import create_app
from search_api.gate.stack import proxy_networks
from search_api.run.connections import Connections, allow_connections
from search_api.run.log import calm_log
from search_api.run.protocol import protocol_with_deadline
from searchsocket.errors import ConfigMissing
from searchsocket.project.project import Project
from searchsocket.serving.service import OnError
from searchsocket.stores.base import VectorStore

KEEP_ALIVE_S = 20
SHUTDOWN_S = 10  # what is under way may take so long
BACKLOG = 512


def serve(
    project: Project,
    *,
    host: str,
    port: int,
    environ: Mapping[str, str],
    token: str = "",
    dev: bool = False,
    on_start: Callable[[str], None] = lambda _: None,
    on_error: OnError = lambda _: None,
    store: VectorStore | None = None,
) -> None:
    """Serve until SIGTERM or Ctrl-C, then finish what is under way and return.

    Args:
        port: 0 takes a free one.
        token, dev, store: See `create_app`.
        on_start: Hears the base URL once queries are answered.

    Raises:
        ConfigError, ConfigMissing, InvalidScope: The service cannot start; so when the address is taken.
    """
    app = create_app(project, environ=environ, host=host, token=token, dev=dev, on_error=on_error, store=store)
    kept = Connections(allow_connections(), exempt=proxy_networks(project.settings.api))
    with contextlib.closing(_listen(host, port)) as listener, calm_log():
        config = uvicorn.Config(
            app,
            http=protocol_with_deadline(kept=kept),
            ws="none",
            lifespan="on",
            log_config=None,  # whoever calls decides what is printed
            access_log=False,
            proxy_headers=False,  # who is trusted must not hang on a header that anyone can send
            server_header=False,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=SHUTDOWN_S,
        )
        authority = f"[{host}]" if ":" in host else host
        url = f"http://{authority}:{listener.getsockname()[1]}"
        with _stop_quietly():
            server = _Server(config, lambda: on_start(url))
            server.run(sockets=[listener])


class _Server(uvicorn.Server):
    """Tells when it is ready."""

    def __init__(self, config: uvicorn.Config, on_started: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_started = on_started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            # What is loaded by now stays: looking through it for garbage again and again costs queries 20 ms.
            gc.collect()
            gc.freeze()
            self._on_started()


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except (OSError, OverflowError) as error:
        raise ConfigMissing(f"cannot listen on {host}:{port}: {error}") from error


@contextlib.contextmanager
def _stop_quietly() -> Iterator[None]:
    """A signal that stopped the server has done its work: uvicorn raises it again, and it must not kill the caller."""
    try:
        before = {sig: signal.signal(sig, lambda *_: None) for sig in (signal.SIGINT, signal.SIGTERM)}
    except ValueError:  # not in the main thread, where no signals arrive
        before = {}
    try:
        yield
    finally:
        for sig, handler in before.items():
            signal.signal(sig, handler)
