"""Hosts of static files: nginx, an object store with exact keys, and `python -m http.server`."""

import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from mimetypes import guess_type
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import unquote

from searchsocket.system.bound import stop

_NGINX = """
{user}
daemon off;
worker_processes 1;
pid {work}/nginx.pid;
events {{}}
http {{
    types {{ text/html html htm; application/xhtml+xml xhtml; text/xml xml; text/plain txt; }}
    default_type application/octet-stream;
    access_log off;
    client_body_temp_path {work}/body;
    proxy_temp_path {work}/proxy;
    fastcgi_temp_path {work}/fastcgi;
    uwsgi_temp_path {work}/uwsgi;
    scgi_temp_path {work}/scgi;
    server {{
        listen 127.0.0.1:{port};
        root "{root}";
        absolute_redirect off;
        location / {{ try_files $uri $uri.html $uri/ =404; }}
    }}
}}
"""


def nginx_program() -> str | None:
    return shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")


@contextmanager
def nginx(folder: Path) -> Iterator[str]:
    """Yield the address of nginx; it redirects folders to their slash and opens `/page` as `page.html`."""
    program = nginx_program()
    if program is None:
        raise FileNotFoundError("nginx")
    with TemporaryDirectory() as work, socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        user = "user root;" if os.geteuid() == 0 else ""  # its workers might not be allowed to read the folder
        Path(work, "nginx.conf").write_text(_NGINX.format(user=user, work=work, port=port, root=folder.resolve()))
        process = subprocess.Popen(
            [program, "-e", "stderr", "-p", work, "-c", f"{work}/nginx.conf"],
            env={**os.environ, "NGINX": f"{listener.fileno()};"},
            pass_fds=(listener.fileno(),),
        )
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            stop(process)


@contextmanager
def python_server(folder: Path) -> Iterator[str]:
    """Yield the address of `python -m http.server`; it redirects folders to their slash."""
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", folder],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert process.stdout is not None
        port = re.search(rb"port (\d+)", process.stdout.readline())
        assert port is not None
        yield f"http://127.0.0.1:{int(port[1])}"
    finally:
        stop(process)


class _Keys(BaseHTTPRequestHandler):
    """Answers for exact keys, in their letters; a path with a slash at its end is the key of its index file."""

    protocol_version = "HTTP/1.1"

    def __init__(self, keys: Mapping[str, Path], *arguments: object) -> None:
        self._keys = keys
        super().__init__(*arguments)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        path = unquote(self.path.partition("?")[0])
        file = self._keys.get(path + "index.html" if path.endswith("/") else path)
        body = file.read_bytes() if file else b"AccessDenied"  # a store that lists nothing does not say "not found"
        kind = guess_type(file.name)[0] or "application/octet-stream" if file else "application/xml"
        self.send_response(200 if file else 403)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def object_store(folder: Path) -> Iterator[str]:
    """Yield the address of a store of objects: no redirects, no guesses."""
    paths = (Path(top, name) for top, _, names in os.walk(folder, followlinks=True) for name in names)
    keys = {f"/{path.relative_to(folder).as_posix()}": path for path in paths}
    with closing(_Server(("127.0.0.1", 0), partial(_Keys, keys))) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def close(self) -> None:
        self.server_close()

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore clients that close their connection."""


HOSTS: Mapping[str, Callable[[Path], AbstractContextManager[str]]] = {
    "nginx": nginx,
    "store": object_store,
    "python": python_server,
}
