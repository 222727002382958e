"""A web server over a folder: what hosts of static files do."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class _Quiet(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        pass


class _CleanUrls(_Quiet):
    """Opens `/page` where there is a `page.html`, as most hosts of static sites do."""

    def translate_path(self, path: str) -> str:
        program = super().translate_path(path).removesuffix("/")
        return next(
            (file for file in (program, f"{program}.html") if Path(file).is_file()), super().translate_path(path)
        )


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Readers leave when they have enough."""


@contextmanager
def file_server(folder: Path, *, clean_urls: bool = False) -> Iterator[str]:
    """Its base URL while it serves.

    Args:
        clean_urls: Whether it looks for `page.html` where `/page` is asked for; a plain host does not.
    """
    folder.mkdir(parents=True, exist_ok=True)
    server = _Server(("127.0.0.1", 0), partial(_CleanUrls if clean_urls else _Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
