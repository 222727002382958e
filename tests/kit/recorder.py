"""A service that keeps what it is asked, and whose callers can be seen to leave."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Recorder:
    """Service that records its requests in order."""

    url: str
    requests: list[dict[str, Any]] = field(default_factory=list)
    arrived: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))  # one that is not answered
    left: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))  # its caller went


@contextmanager
def recording() -> Iterator[Recorder]:
    """Yield a service that answers `{}`, but never answers a path with `wait` in it."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
            headers = {name.lower(): value for name, value in self.headers.items()}
            recorder.requests.append({"method": self.command, "path": self.path, "body": body, "headers": headers})
            if "wait" in self.path:
                recorder.arrived.release()
                self.connection.recv(1)  # nothing more is sent, so this ends with the connection
                recorder.left.release()
                self.close_connection = True
                return
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("set-cookie", "a=b")
            self.send_header("content-length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        do_POST = do_GET

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        recorder = Recorder(f"http://127.0.0.1:{server.server_address[1]}")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield recorder
        finally:
            server.shutdown()
            thread.join()
