"""The service over a real socket: reloads, slow and hostile clients, signals."""

import http.client
import json
import signal
import socket
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest
from api_client import make_project
from running_service import running
from search_site import Piece, Site

from search_api.run.connections import MAX_HEAD_BYTES
from search_api.run.server import listen, serve
from searchsocket.errors import AddressInUse
from searchsocket.project.project import Project
from searchsocket.stores.local.store import LocalStore


def test_small_answers_are_sent_at_once() -> None:
    """asyncio sets TCP_NODELAY on a connection only if its listener states the protocol."""
    with listen("127.0.0.1", 0) as listener:
        assert listener.proto == socket.IPPROTO_TCP


def search(port: int, q: str) -> tuple[int, dict[str, object]]:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        connection.request("POST", "/api/search", json.dumps({"q": q}), {"content-type": "application/json"})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())


def is_closed(client: socket.socket, within_s: float) -> bool:
    client.settimeout(within_s)
    try:
        while client.recv(65536):
            pass
    except TimeoutError:
        return False
    except ConnectionError:
        return True
    return True


def test_a_new_generation_is_served_without_a_restart_or_a_failed_request(tmp_path: Path) -> None:
    """Failure mode 54, and no query is dropped meanwhile: 12 publishes under two clients."""
    project = make_project(tmp_path)
    site = Site(LocalStore(project.state_dir / "index", project.id))
    answers: list[tuple[int, str]] = []
    stop = threading.Event()
    with running(project) as port:

        def ask() -> None:
            while not stop.is_set():
                status, body = search(port, "battery")
                answers.append((status, str(body["meta"]["generation"])))  # type: ignore[index]

        clients = [threading.Thread(target=ask) for _ in range(2)]
        for client in clients:
            client.start()
        for n in range(12):
            site.publish([Piece(f"/new/{n}", f"Chapter {n} about the zebra.", title=f"Zebra {n}")])
        _, last = search(port, "zebra")
        stop.set()
        for client in clients:
            client.join()
    assert {status for status, _ in answers} == {200}
    assert len({generation for _, generation in answers}) > 3
    assert len(last["results"]) == 10  # type: ignore[arg-type]


def test_a_client_that_never_finishes_its_request_is_cut_off(project: Project) -> None:
    """Slow clients must not hold all connections; and those that are quick are answered meanwhile."""
    with running(project, head_timeout_s=0.4) as port, socket.create_connection(("127.0.0.1", port)) as silent:
        with socket.create_connection(("127.0.0.1", port)) as slow:
            slow.sendall(b"POST /api/search HTTP/1.1\r\nHost: localhost\r\n")
            assert search(port, "battery")[0] == 200
            assert is_closed(slow, 60)
        assert is_closed(silent, 60)


def _drip(connection: socket.socket, data: bytes) -> None:
    for _ in range(1_000):
        connection.sendall(data)
        threading.Event().wait(0.05)


def test_dripping_one_header_after_another_does_not_help(project: Project) -> None:
    with running(project, head_timeout_s=0.4) as port, socket.create_connection(("127.0.0.1", port)) as slow:
        slow.sendall(b"GET /api/health HTTP/1.1\r\nHost: localhost\r\n")
        with pytest.raises(ConnectionError):
            _drip(slow, b"X-A: b\r\n")


def test_endless_headers_are_cut_off(project: Project) -> None:
    with running(project) as port, socket.create_connection(("127.0.0.1", port)) as client:
        with pytest.raises(ConnectionError):  # noqa: PT012
            client.sendall(b"GET / HTTP/1.1\r\n")
            for _ in range(1000 * MAX_HEAD_BYTES // 1000):
                client.sendall(b"X-A: " + b"b" * 993 + b"\r\n")
        assert search(port, "battery")[0] == 200


def test_a_connection_is_used_again_and_its_deadline_begins_anew(project: Project) -> None:
    with running(project, head_timeout_s=0.5) as port, closing(http.client.HTTPConnection("127.0.0.1", port)) as client:
        for _ in range(4):
            client.request("GET", "/api/search?q=battery")
            assert client.getresponse().read()
            threading.Event().wait(0.2)


@pytest.mark.parametrize("declared", [True, False])
def test_a_body_without_end_is_cut_off(project: Project, declared: bool) -> None:
    """Failure mode 48 over a socket: the answer comes, and the rest is not read."""
    with running(project) as port, socket.create_connection(("127.0.0.1", port), timeout=60) as client:
        length = b"Content-Length: 1000000000" if declared else b"Transfer-Encoding: chunked"
        head = (
            b"POST /api/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + length + b"\r\n\r\n"
        )
        client.sendall(head)
        piece = b"x" * 8192 if declared else b"2000\r\n" + b"x" * 8192 + b"\r\n"
        sent_count = 0
        try:
            while sent_count < 50_000_000:
                client.sendall(piece)
                sent_count += 8192
        except OSError:
            pass
        assert sent_count < 20_000_000


NO_REQUESTS = (
    b"\x00\xff\xfe\r\n\r\n",
    b"GET\r\n\r\n",
    b"GET / HTTP/9.9\r\n\r\n",
    b"POST /api/search HTTP/1.1\r\nContent-Length: x\r\n\r\n",
    b"GET /api/search?q=a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    b"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n",
)


@pytest.mark.parametrize("raw", NO_REQUESTS, ids=range(len(NO_REQUESTS)))
def test_bytes_that_are_no_request_do_no_harm(project: Project, raw: bytes) -> None:
    with running(project) as port:
        with socket.create_connection(("127.0.0.1", port), timeout=2) as client:
            client.sendall(raw)
            try:
                answer = client.recv(4096)
            except (TimeoutError, ConnectionError):
                answer = b""
        assert b" 200 " not in answer
        assert search(port, "battery")[0] == 200


def test_a_flood_of_clients_is_answered(project: Project) -> None:
    """60 at once: each gets its own answer."""
    with running(project) as port:
        answers: list[tuple[str, object]] = []

        def ask(q: str) -> None:
            answers.append((q, search(port, q)[1]["q"]))

        threads = [threading.Thread(target=ask, args=(f"battery {n}",)) for n in range(60)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(answers) == sorted((f"battery {n}", f"battery {n}") for n in range(60))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_cleanly(project: Project, number: signal.Signals) -> None:
    """The exit code is 0 and nothing else is printed; the port is reported once queries are answered."""
    code = (
        "import sys\nfrom pathlib import Path\nfrom searchsocket.project.project import open_project\n"
        "from search_api.run.server import listen, serve\n"
        "serve(open_project(Path(sys.argv[1]), {}), host='127.0.0.1', port=0, environ={},"
        " on_start=lambda url: print(url, flush=True))\nprint('bye')\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(project.root)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    url = process.stdout.readline().strip()
    assert search(int(url.rpartition(":")[2]), "battery")[0] == 200
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, "bye\n", "")


def test_an_address_in_use_is_a_clear_error(project: Project) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as busy_socket:
        port = busy_socket.getsockname()[1]
        with pytest.raises(AddressInUse, match=f"port {port} on 127.0.0.1 is in use"):
            serve(project, host="127.0.0.1", port=port, environ={})


def test_the_service_loads_no_orchestrator_and_no_heavy_client() -> None:
    """An API process on the local store never loads them (spec 4.1)."""
    code = (
        "import sys\nimport search_api.run.server\n"
        "import searchsocket.stores.local.store, searchsocket.models.embedders.hash\n"
        "heavy = {'dagster', 'pymilvus', 'pinecone', 'openai', 'onnxruntime', 'torch', 'sqlalchemy', 'lxml'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
