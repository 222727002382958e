"""Runs the service, in this process or in several, until it is told to stop."""

import contextlib
import errno
import gc
import logging
import signal
import socket
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

import uvicorn
from fastapi import FastAPI

from search_api.app import create_app
from search_api.gate.stack import proxy_networks
from search_api.run.connections import Connections, allow_connections
from search_api.run.protocol import protocol_with_deadline
from search_api.run.workers import HUNG_S, Workers, end_with_the_supervisor, supervise
from searchsocket.errors import AddressInUse, ConfigMissing
from searchsocket.project.project import Project
from searchsocket.serving.service import OnError, SearchService
from searchsocket.stores.base import VectorStore

if TYPE_CHECKING:
    from searchsocket.agents.library import LibraryMakers

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
    others: "LibraryMakers | None" = None,
    workers: Workers | None = None,
    beside: Callable[[SearchService], AbstractContextManager[None]] = lambda _: nullcontext(),
    app: FastAPI | None = None,
) -> None:
    """Serve until SIGTERM or Ctrl-C, then finish what is under way and return.

    Args:
        port: 0 takes a free one.
        token, dev, store, others: See `create_app`.
        on_start: Hears the base URL once queries are answered.
        workers: Processes that answer instead of this one.
        beside: What else answers by the same service, where this process does.
        app: Instead of the application of the project.

    Raises:
        ConfigError, ConfigMissing, InvalidScope: The service cannot start; so when the address is taken.
    """
    app = app or create_app(
        project, environ=environ, host=host, token=token, dev=dev, on_error=on_error, store=store, others=others
    )
    with contextlib.closing(listen(host, port)) as listener, calm_log(), _stop_quietly():
        authority = f"[{host}]" if ":" in host else host
        url = f"http://{authority}:{listener.getsockname()[1]}"
        if workers:
            config = _Config(partial(_in_worker, workers.app), project, workers=workers.count)
            supervise(config, listener, lambda: on_start(url))
        else:
            server = _Server(_Config(partial(_frozen, app), project), lambda: on_start(url))
            with beside(app.state.service):
                server.run(sockets=[listener])


class _Config(uvicorn.Config):
    """uvicorn's settings; they can be sent to a worker."""

    def __init__(self, app: Callable[[], FastAPI], project: Project, workers: int = 1) -> None:
        super().__init__(
            app,
            factory=True,
            workers=workers,
            ws="none",
            lifespan="on",
            log_config=None,  # whoever calls decides what is printed
            access_log=False,
            proxy_headers=False,  # who is trusted must not hang on a header that anyone can send
            server_header=False,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=SHUTDOWN_S,
            timeout_worker_healthcheck=HUNG_S,
        )
        self._proxies = proxy_networks(project.settings.api)

    def load(self) -> None:
        self.http = protocol_with_deadline(connections=Connections(allow_connections(), exempt=self._proxies))
        super().load()


def _in_worker(make: Callable[[], FastAPI]) -> FastAPI:
    """The application of a worker, whose log is held to the same for as long as it lives."""
    end_with_the_supervisor()
    return _frozen(make(), calm_log())


def _frozen(app: FastAPI, log: AbstractContextManager[None] | None = None) -> FastAPI:
    """Exclude all objects loaded at the start from garbage collection, which would delay queries by 20 ms."""
    start = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[Any]:
        with log or nullcontext():
            async with start(app) as state:
                gc.collect()
                gc.freeze()
                yield state

    app.router.lifespan_context = lifespan
    return app


class _Server(uvicorn.Server):
    """Tells when it is ready."""

    def __init__(self, config: uvicorn.Config, on_started: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_started = on_started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._on_started()


def listen(host: str, port: int) -> socket.socket:
    """A bound socket that answers are sent over without delay.

    Raises:
        AddressInUse, ConfigMissing: It cannot be bound.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.create_server((host, port), family=family, backlog=BACKLOG)
        # asyncio sends small packets at once (TCP_NODELAY) only on a socket that states its protocol.
        return socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP, listener.detach())
    except (OSError, OverflowError) as error:
        if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            raise AddressInUse(f"port {port} on {host} is in use; pass another with --port") from error
        reason = error.strerror if isinstance(error, OSError) else error
        raise ConfigMissing(f"cannot listen on {host}:{port}: {reason}") from error


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


_LOGGERS = ("uvicorn.error", "searchsocket.api")
_PAUSE_S = 60.0


class OnceAMinute(logging.Filter):
    """Lets a line pass once a minute, and says with the next one how many were left out."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._seen: dict[
            str, tuple[float, int]
        ] = {}  # by the line without its values: when it passed, and left out since

    def filter(self, record: logging.LogRecord) -> bool:
        line, now = str(record.msg), self._clock()
        passed, left_out = self._seen.get(line, (now - _PAUSE_S, 0))
        if now < passed + _PAUSE_S:
            self._seen[line] = passed, left_out + 1
            return False
        self._seen[line] = now, 0
        if left_out:
            record.msg = f"{line} ({left_out} more like this in between)"
        return True


@contextlib.contextmanager
def calm_log() -> Iterator[None]:
    """Hold the server's lines to that; where nobody handles them they go to stderr."""
    once = OnceAMinute()
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    handler.setLevel(logging.WARNING)
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    own = [logger for logger in loggers if not logger.hasHandlers()]
    for logger in loggers:
        logger.addFilter(once)
    for logger in own:
        logger.addHandler(handler)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(once)
        for logger in own:
            logger.removeHandler(handler)
