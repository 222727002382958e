"""The documented proxies work as documented: nginx, and the handle for SvelteKit."""

import http.client
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

import pytest
from api_client import make_project

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "examples/docs-site/src/routes/(docs)/docs/api/+page.md"
COMMAND = Path(sys.executable).with_name("searchsocket")
SERVICE = "127.0.0.1:8181"  # where the documented lines look for `searchsocket serve`
LIMIT = 120  # the default of api.rate_limit.max

NGINX = """
{user}
daemon off;
pid {folder}/nginx.pid;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        server_name {name};
        {documented}
    }}
}}
"""
# What adapter-node does around a hook: the web's Request, and the address of the peer.
NODE = """
import { createServer } from 'node:http';
%s
createServer(async (incoming, outgoing) => {
  const chunks = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const url = new URL(incoming.url, `http://${incoming.headers.host}`);
  const body = incoming.method === 'POST' ? Buffer.concat(chunks) : undefined;
  const headers = Object.entries(incoming.headersDistinct).flatMap(([name, all]) => all.map((one) => [name, one]));
  const event = {
    url,
    route: { id: null },
    request: new Request(url, { method: incoming.method, headers, body }),
    getClientAddress: () => incoming.socket.remoteAddress
  };
  const response = await handle({ event, resolve: () => new Response('a page of the site') });
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(Buffer.from(await response.arrayBuffer()));
}).listen(0, '127.0.0.1', function () { console.log(this.address().port); });
"""


def documented(language: str) -> str:
    """The first block in a language below "Behind a web server"."""
    below = PAGE.read_text(encoding="utf-8").partition("## Behind a web server")[2]
    return below.partition(f"```{language}\n")[2].partition("```")[0]


def hook(service: str) -> str:
    """Return the hook that `searchsocket init` writes, with the address of the test's service."""
    handle = ROOT / "clients/js/dist/handle.js"
    return (
        f"import {{ searchsocketHandle }} from '{handle.as_uri()}';\n"
        f"const handle = searchsocketHandle({{ url: 'http://{service}' }});"
    )


NAME = tomllib.loads(documented("toml"))["api"]["allowed_hosts"][0]


@contextmanager
def started(*command: object, **options: object) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options  # type: ignore[call-overload]
    )  # fmt: skip
    try:
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=60)


def first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def program(name: str) -> str:
    path = shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")
    if not path and not os.environ.get("CI"):
        pytest.skip(f"{name} is not installed")
    assert path, f"{name} is not installed"
    return path


@contextmanager
def nginx(folder: Path, service: str) -> Iterator[int]:
    """The port of an nginx with the documented lines; it is handed a bound socket, so that no port is guessed."""
    command, lines = program("nginx"), documented("nginx")
    assert SERVICE in lines
    user = "user root;" if os.geteuid() == 0 else ""  # its workers would else be a user who may not enter the folder
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        text = NGINX.format(user=user, folder=folder, port=port, name=NAME, documented=lines.replace(SERVICE, service))
        (folder / "nginx.conf").write_text(text)
        running = started(
            command, "-e", "stderr", "-p", folder, "-c", folder / "nginx.conf",
            env={**os.environ, "NGINX": f"{listener.fileno()};"}, pass_fds=(listener.fileno(),),
        )  # fmt: skip
        with running:
            listener.close()
            yield port


@contextmanager
def node(folder: Path, service: str) -> Iterator[int]:
    """The port of a Node server with the handle."""
    (folder / "server.mjs").write_text(NODE % hook(service))
    with started(program("node"), folder / "server.mjs") as process:
        yield int(first_line(process))


@pytest.fixture(scope="module", params=[nginx, node], ids=["nginx", "the handle"])
def front(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of what stands before a real `searchsocket serve`, both as documented; the rate's window lasts."""
    folder = tmp_path_factory.mktemp("front")
    project = make_project(folder / "project")
    own = f'project.id = "{project.id}"\nembeddings.provider = "hash"\nscope.fixed = "main"\n'
    (project.root / "searchsocket.toml").write_text(
        f"{own}{documented('toml')}\n[api.rate_limit]\nwindow_ms = 3_600_000\n"
    )
    environ = {name: value for name, value in os.environ.items() if not name.startswith("SEARCHSOCKET")}
    with ExitStack() as stack:
        serve = stack.enter_context(started(COMMAND, "serve", "--port", 0, "--project", project.root, env=environ))
        message = first_line(serve)
        service = re.search(r"127\.0\.0\.1:\d+", message)
        assert service, message
        yield stack.enter_context(request.param(folder, service[0]))


class Visitor:
    """Somebody with an address of his own, over one connection."""

    def __init__(self, port: int, address: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60, source_address=(address, 0))

    def get(self, path: str, **headers: str) -> tuple[int, str]:
        return self._ask("GET", path, None, headers)

    def post(self, **body: object) -> tuple[int, str]:
        return self._ask("POST", "/api/search", json.dumps(body), {"content-type": "application/json"})

    def _ask(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> tuple[int, str]:
        request_headers = {"host": NAME} | {name.replace("_", "-"): value for name, value in headers.items()}
        self._connection.request(method, path, body, request_headers)
        answer = self._connection.getresponse()
        return answer.status, answer.read().decode()

    def close(self) -> None:
        self._connection.close()


@contextmanager
def visitors(front: int, first: int) -> Iterator[tuple[Visitor, Visitor]]:
    """Two, from addresses that are not the proxy's; each test has its own."""
    if sys.platform != "linux":
        pytest.skip("only Linux has the whole of 127.0.0.0/8 without being asked")
    with closing(Visitor(front, f"127.0.1.{first}")) as one, closing(Visitor(front, f"127.0.1.{first + 1}")) as other:
        yield one, other


SEARCH = "/api/search?q=battery"


def test_a_visitor_is_a_stranger(front: int) -> None:
    """No private scope, no route file, and a limit that is his alone: 400 requests are too many."""
    with visitors(front, 1) as (one, other):
        for status, body in (one.get(SEARCH), one.post(q="battery")):
            assert status == 200, body
            assert {result["routeFile"] for result in json.loads(body)["results"]} == {None}
            assert "src/routes" not in body
        for status, body in (one.get(f"{SEARCH}&scope=secret-branch"), one.post(q="battery", scope="secret-branch")):
            assert status == 403, body
        statuses = [one.get(SEARCH)[0] for _ in range(400)]
        assert statuses == [200] * (LIMIT - 4) + [429] * (400 - LIMIT + 4)
        assert other.get(SEARCH)[0] == 200


def test_a_visitor_cannot_choose_his_address(front: int) -> None:
    """Whatever he writes of himself, and even as the proxy itself or as this machine: 120 requests are let in."""
    with visitors(front, 3) as (one, other):
        claims = (
            lambda n: {"x_forwarded_for": f"198.51.100.{n}"},
            lambda n: {"x_forwarded_for": f"198.51.100.{n}, 127.0.0.1"},
            lambda n: {"x_forwarded_for": "127.0.0.1", "x_real_ip": "127.0.0.1", "forwarded": "for=127.0.0.1"},
            lambda n: {"x_forwarded_for": "junk", "origin": "http://localhost"},
        )
        answers = [one.get(SEARCH, **claims[n % len(claims)](n)) for n in range(LIMIT + 40)]
        assert [status for status, _ in answers] == [200] * LIMIT + [429] * 40
        assert not [body for _, body in answers if "src/routes" in body]
        assert other.get(SEARCH)[0] == 200


HIDDEN = f"GET {SEARCH}&scope=secret-branch HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
CHUNKED = f"0\r\n\r\n{HIDDEN}"


@pytest.mark.parametrize(
    "rest",
    [
        f"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n{CHUNKED}",
        f"Content-Length: {len(CHUNKED)}\r\nTransfer-Encoding: chunked\r\n\r\n{CHUNKED}",
        f"Content-Length: {len(CHUNKED)}\r\nTransfer-Encoding: xchunked\r\n\r\n{CHUNKED}",
        f"Content-Length: {len(CHUNKED)}\r\nTransfer-Encoding : chunked\r\n\r\n{CHUNKED}",
        f"Content-Length: {len(CHUNKED)}\r\nTransfer-Encoding:\x0bchunked\r\n\r\n{CHUNKED}",
        f"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n{CHUNKED}",
        f"Content-Length: 0\r\nContent-Length: {len(HIDDEN)}\r\n\r\n{HIDDEN}",
        f"Content-Length: +{len(HIDDEN)}\r\n\r\n{HIDDEN}",
        f"Content-Length: {len(HIDDEN)}\r\nX: y\nContent-Length: 0\r\n\r\n{HIDDEN}",
        f"Transfer-Encoding: chunked\r\n\r\n{len(HIDDEN):x};a=b\r\n{HIDDEN}\r\n0\r\n\r\n",
    ],
    ids=[
        "both",
        "both, whole",
        "unknown coding",
        "blank",
        "tab",
        "twice",
        "two lengths",
        "sign",
        "line feed",
        "extension",
    ],
)
def test_no_request_hides_in_another(front: int, rest: str) -> None:
    """Where the proxy and the service disagree on the end of a request, its rest would arrive as the proxy's own."""
    last = f"GET {SEARCH} HTTP/1.1\r\nHost: {NAME}\r\nConnection: close\r\n\r\n"
    text = f"POST /api/search HTTP/1.1\r\nHost: {NAME}\r\nContent-Type: application/json\r\n{rest}{last}"
    received = b""
    with socket.create_connection(("127.0.0.1", front), timeout=5) as connection, suppress(TimeoutError):
        connection.sendall(text.encode())
        while piece := connection.recv(1 << 16):
            received += piece
    answers = received.split(b"HTTP/1.1 ")[1:]
    assert answers
    assert not [answer for answer in answers if answer.startswith(b"200") and b"secret-branch" in answer]
    assert b"src/routes" not in received
