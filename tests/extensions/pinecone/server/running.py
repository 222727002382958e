"""The service behind a real socket of this machine."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from tests.extensions.pinecone.server.service import Service


@contextmanager
def running(service: Service) -> Iterator[Service]:
    """Serve until the block ends; `service.base_url` says where."""
    config = uvicorn.Config(_app(service), port=0, log_level="critical", lifespan="off", access_log=False)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    started = threading.Event()
    startup = server.startup

    async def start(sockets: Any = None) -> None:
        await startup(sockets)
        started.set()

    server.startup = start  # type: ignore[method-assign]
    thread.start()
    assert started.wait(60)
    [listening] = server.servers
    service.base_url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    try:
        yield service
    finally:
        server.should_exit = True
        thread.join(60)


def _app(service: Service) -> Any:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        headers = {name.decode(): value.decode("latin-1") for name, value in scope["headers"]}
        path, query = scope["raw_path"].decode(), scope["query_string"].decode()
        status, more, answer = service.answer(scope["method"], path, query, headers, body)
        sent = [(b"content-type", b"application/json"), (b"content-length", str(len(answer)).encode())]
        sent += [(name.encode(), value.encode()) for name, value in more.items()]
        await send({"type": "http.response.start", "status": status, "headers": sent})
        await send({"type": "http.response.body", "body": answer})

    return app
