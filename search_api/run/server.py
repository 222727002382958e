"""Run the service in one or several processes, until a signal to stop; with a log that limits repeated lines."""

import contextlib
import errno
import gc
import logging
import multiprocessing
import signal
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, Any

import uvicorn
from fastapi import FastAPI

from search_api.app import create_app
from search_api.endpoints.monitoring import metrics_server
from search_api.gate.stack import proxy_networks
from search_api.run.connections import Connections, allow_connections, protocol_with_deadline
from search_api.run.workers import HUNG_S, Drain, StopNotice, Workers, end_with_the_supervisor, supervise
from searchsocket.errors import AddressInUse, ConfigMissing
from searchsocket.project.project import Project
from searchsocket.serving.service import OnError
from searchsocket.stores.base.vector_store import VectorStore
from searchsocket.system.json_text import json_line

if TYPE_CHECKING:
    from searchsocket.agents.library import WithOthers

KEEP_ALIVE_S = 20
SHUTDOWN_S = 10  # limit for running requests after the signal to stop
BACKLOG = 512
_LOGGERS = ("uvicorn.error", "searchsocket.api")
_PAUSE_S = 60.0


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Options of the operator.

    Attributes:
        drain_s: Seconds to keep answering after SIGTERM, while `/api/ready` reports 503.
        metrics_port: Serve the metrics at this port too, without a key; None = at `/metrics` only.
        json_lines: Write warnings as JSON objects, one per line.
    """

    drain_s: float = 0.0
    metrics_port: int | None = None
    json_lines: bool = False


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
    libraries: "WithOthers | None" = None,
    workers: Workers | None = None,
    app: FastAPI | None = None,
    options: ServerOptions = ServerOptions(),
) -> None:
    """Serve until SIGTERM or Ctrl-C, then finish the running requests and return.

    Args:
        port: 0 takes a free one.
        token, dev, store, libraries: See `create_app`.
        on_start: Called with the base URL once queries are answered.
        workers: Processes that answer instead of this one.
        app: Replaces the application of the project.

    Raises:
        ConfigError, ConfigMissing, InvalidScope: The service cannot start, for example because the address is in use.
    """
    app = app or create_app(
        project, environ=environ, host=host, token=token, dev=dev, on_error=on_error, store=store, libraries=libraries
    )
    log = server_log(json_lines=options.json_lines)
    metrics = _metrics(options, host, app, is_supervisor=workers is not None)
    with contextlib.closing(listen(host, port)) as listener, log, metrics, _stop_quietly():
        authority = f"[{host}]" if ":" in host else host
        url = f"http://{authority}:{listener.getsockname()[1]}"
        if workers:
            drain = Drain(options.drain_s, multiprocessing.get_context("spawn").Event())
            config = _Config(
                partial(_in_worker, workers.app, drain.notice, options.json_lines), project, workers=workers.count
            )
            supervise(config, listener, lambda: on_start(url), drain)
        else:
            drain = Drain(options.drain_s, threading.Event())
            app.state.stop_notice = drain.notice
            server = _Server(_Config(partial(_freeze_at_start, app), project), lambda: on_start(url), drain)
            server.run(sockets=[listener])


def _metrics(
    options: ServerOptions, host: str, app: FastAPI, *, is_supervisor: bool
) -> AbstractContextManager[int | None]:
    if options.metrics_port is None:
        return nullcontext()
    # With several workers, this process answers no requests and opens no projects.
    collectors = () if is_supervisor else getattr(app.state, "collectors", ())
    return metrics_server(host, options.metrics_port, app.state.numbers, collectors)


class _Config(uvicorn.Config):
    """uvicorn's settings, which can be sent to a worker."""

    def __init__(self, app: Callable[[], FastAPI], project: Project, workers: int = 1) -> None:
        super().__init__(
            app,
            factory=True,
            workers=workers,
            ws="none",
            lifespan="on",
            log_config=None,  # the caller decides what is printed
            access_log=False,
            proxy_headers=False,  # trust must not depend on a header that anyone can send
            server_header=False,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=SHUTDOWN_S,
            timeout_worker_healthcheck=HUNG_S,
        )
        self._proxies = proxy_networks(project.settings.api)

    def load(self) -> None:
        self.http = protocol_with_deadline(connections=Connections(allow_connections(), exempt=self._proxies))
        super().load()


def _in_worker(make: Callable[[], FastAPI], stop_notice: StopNotice, json_lines: bool) -> FastAPI:
    """Build the application of a worker, with the same log settings while it runs."""
    end_with_the_supervisor()
    app = make()
    app.state.stop_notice = stop_notice
    return _freeze_at_start(app, server_log(json_lines=json_lines))


def _freeze_at_start(app: FastAPI, log: AbstractContextManager[None] | None = None) -> FastAPI:
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
    """Calls back when it is ready, and drains before it stops."""

    def __init__(self, config: uvicorn.Config, on_started: Callable[[], None], drain: Drain) -> None:
        super().__init__(config)
        self._on_started = on_started
        self._drain = drain

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._on_started()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if sig != signal.SIGTERM or not self._drain.begin():
            super().handle_exit(sig, frame)

    async def on_tick(self, counter: int) -> bool:
        return await super().on_tick(counter) or self._drain.is_over()


def listen(host: str, port: int) -> socket.socket:
    """Return a bound socket that sends small answers without delay.

    Raises:
        AddressInUse, ConfigMissing: The address cannot be bound.
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
    """Ignore the signal that uvicorn raises again after it stopped; it must not kill the caller."""
    try:
        before = {sig: signal.signal(sig, lambda *_: None) for sig in (signal.SIGINT, signal.SIGTERM)}
    except ValueError:  # not in the main thread, where no signals arrive
        before = {}
    try:
        yield
    finally:
        for sig, handler in before.items():
            signal.signal(sig, handler)


class OnceAMinute(logging.Filter):
    """Passes a line once per minute; the next line states how many were left out."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        # By the line without its values: time of the last line, and the number left out since.
        self._seen: dict[str, tuple[float, int]] = {}

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


class JsonFormatter(logging.Formatter):
    """Formats a record as `json_line` does."""

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created, UTC)
        return json_line(record.levelname.lower(), {"message": record.getMessage()}, time)


@contextlib.contextmanager
def server_log(*, json_lines: bool = False) -> Iterator[None]:
    """Write warnings of the server, each kind once per minute; to stderr unless another handler is set."""
    once = OnceAMinute()
    handler = logging.StreamHandler()
    handler.setFormatter(JsonFormatter() if json_lines else logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
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
