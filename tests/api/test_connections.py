"""Connections that say nothing take nothing from others; those that are answered are never closed for room."""

import http.client
import ipaddress
import json
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from api_client import make_project
from running_service import running, wait_until
from test_server import is_closed, search

from search_api.run.connections import Connections, allow_connections, most_connections
from searchsocket.project.project import Project


@dataclass(eq=False)
class Client:
    """A connection without a socket."""

    address: str
    closed: list["Client"] = field(default_factory=list)

    def close(self) -> None:
        self.closed.append(self)


def test_the_one_that_waits_longest_is_closed_first() -> None:
    connections, closed = Connections(most=3, an_address=9), list[Client]()
    one, two, three, four, five = (Client(f"192.0.2.{n}", closed) for n in range(5))
    assert all(map(connections.add, (one, two, three)))
    connections.answering(one)
    connections.answering(two)
    connections.waiting(two)  # answered: from here on it waits again
    assert connections.add(four)
    assert closed == [three]
    assert connections.add(five)
    assert closed == [three, two]
    assert len(connections) == 3


def test_nobody_who_is_answered_is_closed() -> None:
    connections, closed = Connections(most=2, an_address=9), list[Client]()
    one, two, three = (Client(f"192.0.2.{n}", closed) for n in range(3))
    for client in (one, two):
        assert connections.add(client)
        connections.answering(client)
    assert not connections.add(three)
    assert closed == []
    connections.remove(one)
    assert connections.add(three)


@pytest.mark.parametrize(
    ("addresses", "closed"),
    [
        (["192.0.2.1"] * 3, 1),
        (["192.0.2.1", "192.0.2.2", "192.0.2.3"], 0),
        (["2001:db8::1", "2001:db8::2", "2001:db8::ffff"], 1),  # one subscriber
        (["::ffff:192.0.2.1", "192.0.2.1", "192.0.2.1"], 1),
        (["10.1.2.3"] * 3, 0),  # a proxy
        (["::ffff:10.1.2.3"] * 3, 0),
        ([""] * 3, 0),  # a socket of the file system
    ],
)
def test_an_address_has_so_many(addresses: list[str], closed: int) -> None:
    connections, closed_clients = (
        Connections(most=99, an_address=2, exempt=[ipaddress.ip_network("10.0.0.0/8")]),
        list[Client](),
    )
    clients = [Client(address, closed_clients) for address in addresses]
    assert all(map(connections.add, clients))
    assert closed_clients == clients[:closed]
    for client in clients:
        connections.remove(client)
    assert len(connections) == 0
    assert not connections._by_client


@pytest.mark.parametrize(("files", "most"), [(256, 128), (1_024, 768), (1_048_576, 4_096)])
def test_connections_leave_files_for_all_else(files: int, most: int) -> None:
    assert most_connections(files) == most


def connect(port: int, own: str = "127.0.0.1") -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=60, source_address=(own, 0))


def status(client: socket.socket) -> int:
    """Ask for a search over a connection that stays open."""
    client.sendall(b"GET /api/search?q=battery HTTP/1.1\r\nHost: localhost\r\n\r\n")
    answer = http.client.HTTPResponse(client)
    answer.begin()
    answer.read()
    return answer.status


def test_idle_ones_make_room(project: Project) -> None:
    connections = Connections(most=5)
    with running(project, connections=connections) as port, ExitStack() as stack:
        idle = [stack.enter_context(closing(connect(port, f"127.0.0.{n}"))) for n in range(2, 7)]
        wait_until(lambda: len(connections) == 5)
        assert status(idle[0]) == 200  # so it began to wait again, after all others
        assert search(port, "battery")[0] == 200
        assert is_closed(idle[1], 10)
        assert [status(client) for client in (idle[0], *idle[2:])] == [200] * 4


def test_a_request_under_way_is_not_closed_for_room(project: Project) -> None:
    connections = Connections(most=2)
    body = json.dumps({"q": "battery"}).encode()
    with running(project, connections=connections) as port, closing(connect(port, "127.0.0.2")) as slow:
        slow.sendall(
            b"POST /api/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(body)
        )
        assert slow.recv(100).startswith(b"HTTP/1.1 100")  # the head was read
        with ExitStack() as stack:
            for n in range(3, 9):
                stack.enter_context(closing(connect(port, f"127.0.0.{n}")))
            assert search(port, "battery")[0] == 200
        slow.sendall(body)
        answer = http.client.HTTPResponse(slow)
        answer.begin()
        assert answer.status == 200


def test_a_connection_above_the_limit_is_told_to_retry(project: Project) -> None:
    connections = Connections(most=1)
    with running(project, connections=connections) as port, closing(connect(port, "127.0.0.2")) as slow:
        slow.sendall(b"POST /api/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                     b"Expect: 100-continue\r\nContent-Length: 9\r\n\r\n")  # fmt: skip
        assert slow.recv(100).startswith(b"HTTP/1.1 100")
        with closing(connect(port, "127.0.0.3")) as refused:
            answer = http.client.HTTPResponse(refused)
            answer.begin()
            assert (answer.status, answer.headers["retry-after"]) == (503, "1")
            assert json.loads(answer.read())["error"]["code"] == "BUSY"


SERVE = (
    "import sys\nfrom pathlib import Path\nfrom searchsocket.project.project import open_project\n"
    "from search_api.run.server import serve\n"
    "serve(open_project(Path(sys.argv[1]), {}), host='127.0.0.1', port=0, environ={},"
    " on_start=lambda url: print(url, flush=True))\n"
)


@contextmanager
def served(root: Path, files: int) -> Iterator[tuple[int, int]]:
    """Port and process of a real server, started with so small a soft limit of files."""
    command = f'ulimit -S -n {files}; exec "$0" "$@"'
    process = subprocess.Popen(
        ["/bin/sh", "-c", command, sys.executable, "-c", SERVE, str(root)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline().strip().rpartition(":")[2]), process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)
        process.stdout.close()


def open_sockets(pid: int) -> int:
    return sum("socket:" in str(fd.readlink()) for fd in Path(f"/proc/{pid}/fd").iterdir() if fd.is_symlink())


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts files in /proc")
def test_a_thousand_idle_connections_from_one_address_refuse_nobody(tmp_path: Path) -> None:
    """Also where few files may be open at the start: the server raises that limit, and keeps 64 of these."""
    allow_connections()
    if resource.getrlimit(resource.RLIMIT_NOFILE)[0] < 2_048:
        pytest.skip("this machine allows too few open files")
    with served(make_project(tmp_path).root, files=256) as (port, pid), ExitStack() as stack:
        own_files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        limits = Path(f"/proc/{pid}/limits").read_text()
        assert int(limits.partition("Max open files")[2].split()[0]) >= own_files
        for _ in range(1_000):
            stack.enter_context(closing(connect(port, "127.0.0.2")))
        assert [search(port, "battery")[0] for _ in range(20)] == [200] * 20
        assert open_sockets(pid) < 100
