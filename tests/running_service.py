"""The application behind a real socket, in a thread, with the protocol and limits of the real server."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import uvicorn
from starlette.types import ASGIApp

from search_api.app import create_app
from search_api.run.connections import Connections, protocol_with_deadline
from searchsocket.project.project import Project
from tests.api_client import ENVIRON


@contextmanager
def running(project: Project, head_timeout_s: float = 10.0, connections: Connections | None = None) -> Iterator[int]:
    """The port of a server of a project."""
    with listening(create_app(project, environ=ENVIRON, host="127.0.0.1"), head_timeout_s, connections) as port:
        yield port


@contextmanager
def listening(app: ASGIApp, head_timeout_s: float = 10.0, connections: Connections | None = None) -> Iterator[int]:
    """The port of a server of an application."""
    config = uvicorn.Config(
        app,
        http=protocol_with_deadline(head_timeout_s, connections), log_config=None, access_log=False, ws="none",
        lifespan="on", proxy_headers=False, server_header=False, timeout_graceful_shutdown=1,
    )  # fmt: skip
    server = uvicorn.Server(config)
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            wait_until(lambda: server.started)
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(10)
            assert not thread.is_alive()


def wait_until(condition: Callable[[], bool], timeout_s: float = 30.0) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        threading.Event().wait(0.01)
