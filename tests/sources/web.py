"""A small web server with configurable faults."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Answer:
    """One response; `parts` are written one by one, and the connection is cut after them when `cut` is set."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    parts: Callable[[], Iterator[bytes]] | None = None
    cut: bool = False


Page = Answer | Callable[["Request"], Answer]


@dataclass(frozen=True)
class Request:
    path: str
    headers: dict[str, str]
    number: int  # how often the path was asked for before
    body: bytes = b""


class Web:
    """Pages of the server, and the requests that it received."""

    def __init__(self) -> None:
        self.pages: dict[str, Page] = {}
        self.requests: list[Request] = []
        self.base_url = ""
        self.fallback: Page = Answer(404, b"nothing here")

    def html(self, path: str, body: str, **headers: str) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        text = f"<html><head><title>{path}</title></head><body><main><h1>{path}</h1>{body}</main></body></html>"
        self.pages[path] = Answer(200, text.encode(), {"Content-Type": "text/html; charset=utf-8"} | named)

    def paths(self) -> list[str]:
        return [request.path for request in self.requests]


@contextmanager
def serve() -> Iterator[Web]:
    """Serve on a free port of the loopback interface."""
    web = Web()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.do_GET()

        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"] or 0))
            request = Request(self.path, dict(self.headers), web.paths().count(self.path), body)
            web.requests.append(request)
            page = web.pages.get(self.path, web.fallback)
            answer = page if isinstance(page, Answer) else page(request)
            try:
                self._send(answer)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # the crawler hung up, as it should

        def _send(self, answer: Answer) -> None:
            if answer.cut and answer.parts is None and not answer.body:
                self.close_connection = True
                self.connection.close()
                return
            self.send_response(answer.status)
            headers = {"Content-Type": "text/html"} | answer.headers
            if answer.parts is None:
                headers.setdefault("Content-Length", str(len(answer.body)))
            else:
                headers.setdefault("Connection", "close")
                self.close_connection = True
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.body)
            for part in answer.parts() if answer.parts else ():
                self.wfile.write(part)
            if answer.cut:
                self.wfile.flush()
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    web.base_url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield web
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def serve_raw(talk: Callable[[], Iterator[bytes]], *, pace_s: float = 0.0) -> Iterator[str]:
    """Send the same bytes to every client, piece by piece, until the end or until the client disconnects.

    Args:
        pace_s: Pause between two pieces.

    Yields:
        The address of the server.
    """
    over = threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))

    def answer(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.recv(65_536)
            for piece in talk():
                if over.wait(pace_s):
                    return
                connection.sendall(piece)

    def accept() -> None:
        while True:
            with suppress(OSError):
                connection, _ = listener.accept()
                threading.Thread(target=answer, args=(connection,), daemon=True).start()
            if over.is_set():
                return

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        over.set()
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()
        listener.close()
