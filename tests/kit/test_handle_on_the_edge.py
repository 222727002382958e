"""The handle in workerd, with which Cloudflare runs workers: it uses no Node, and behaves as it does there."""

import shutil
import socket
import subprocess
from collections.abc import Iterator

import pytest

from searchsocket.setup.client_files import bundle_folder
from tests.kit.packages import APPS, workerd
from tests.kit.recorder import Recorder, recording
from tests.kit.visitor import Leaving, ask, code_of, send_without_end


@pytest.fixture(scope="module")
def edge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, Recorder]]:
    """The port of a worker with the handle, and the service that it asks."""
    program, folder = workerd(), tmp_path_factory.mktemp("edge")
    for file in (APPS / "runtimes/worker.js", APPS / "runtimes/config.capnp", bundle_folder() / "handle.js"):
        shutil.copy(file, folder)
    with recording() as recorder, socket.create_server(("127.0.0.1", 0)) as listener:
        process = subprocess.Popen(
            [str(program), "serve", "config.capnp", f"--socket-fd=http={listener.fileno()}"],
            cwd=folder, pass_fds=(listener.fileno(),), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={"SEARCHSOCKET_URL": recorder.url, "SEARCHSOCKET_API_KEY": "hidden"},
        )  # fmt: skip
        try:
            yield listener.getsockname()[1], recorder
        finally:
            process.terminate()
            process.communicate(timeout=60)


def test_search_is_forwarded_without_node(edge: tuple[int, Recorder]) -> None:
    """Address and key come from the bindings of the worker, the visitor's address from what its adapter says."""
    port, recorder = edge
    assert ask(port, "/")[2] == "typeof process: undefined"
    before = len(recorder.requests)
    status, headers, text = ask(port, "/api/search?scope=main", body={"q": "tide"}, cf_connecting_ip="203.0.113.9")
    assert (status, text, "hidden" in str(headers)) == (200, "{}", False)
    assert ask(port, "/docs/install.md")[0] == 200
    search, page = recorder.requests[before:]
    assert (search["method"], search["path"], search["body"]) == ("POST", "/api/search?scope=main", '{"q": "tide"}')
    assert search["headers"]["authorization"] == "Bearer hidden"
    assert search["headers"]["x-searchsocket-visitor"] == "203.0.113.9"
    assert page["path"] == "/docs/install.md"


def test_limits_hold(edge: tuple[int, Recorder]) -> None:
    port, recorder = edge
    answer, accepted_bytes = send_without_end(port, "/kept", 50_000_000)
    assert b" 413 " in answer.split(b"\r\n")[0]
    assert b'"INVALID_REQUEST"' in answer
    assert accepted_bytes < 50_000_000
    status, _, text = ask(port, "/late/wait")
    assert (status, code_of(text)) == (504, "TIMED_OUT")
    assert recorder.arrived.acquire(timeout=60)
    assert recorder.left.acquire(timeout=60)


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_closed_connection_ends_the_work_of_the_service(edge: tuple[int, Recorder], method: str) -> None:
    """By a reset: workerd does not look for the end of what a visitor sends while it waits."""
    port, recorder = edge
    visitor = Leaving(port, method, "/api/search?wait")
    assert recorder.arrived.acquire(timeout=60)
    visitor.leave(abruptly=True)
    assert recorder.left.acquire(timeout=60), "the service works on for nobody"
