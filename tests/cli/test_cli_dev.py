"""`searchsocket dev` as a process: it follows what somebody works on, and ends with all that it started."""

import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from runner_types import RunCli

from bench.crashes.processes import children_of, session_members
from searchsocket.cli.dev import free_port

pytestmark = pytest.mark.dagster

COMMAND = Path(sys.executable).with_name("searchsocket")


# A shell that runs tests in the background makes its children ignore SIGINT; users' terminals do not.
AS_A_TERMINAL = (
    "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"
)


class Dev:
    """The process, and what it says."""

    def __init__(self, root: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                AS_A_TERMINAL,
                str(COMMAND),
                "dev",
                "--settle",
                "0.2",
                *(arguments or ("--port", "0")),
            ],
            cwd=root,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        self.lines: list[str] = []

    def until(self, pattern: str) -> re.Match[str]:
        """Read until a line says this that was not asked for before: service and index speak in any order."""
        assert self.process.stdout is not None
        for line in chain(tuple(self.lines), self.process.stdout):
            if line not in self.lines:
                self.lines.append(line)
            if match := re.search(pattern, line):
                self.lines.remove(line)
                return match
        raise AssertionError((pattern, self.lines))

    def children(self) -> list[int]:
        return children_of(self.process.pid)


@pytest.fixture
def dev(indexed: Path) -> Iterator[Dev]:
    # Another branch is public; `dev` shows the one that is worked on.
    with (indexed / "searchsocket.toml").open("a") as settings:
        settings.write('\n[api]\nscopes = ["other"]\n')
    begun = Dev(indexed)
    yield begun
    begun.process.kill()
    begun.process.communicate()


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are listed in /proc")
def test_edits_become_searchable_and_an_error_does_not_stop_dev(dev: Dev, indexed: Path) -> None:
    address = dev.until(r"http://127\.0\.0\.1:\d+")[0]
    assert dev.until(r"nothing changed in generation")

    (indexed / "build/quagga.html").write_text("<title>Quagga</title><main><h1>Quagga</h1><p>A zebra.</p></main>")
    assert dev.until(r"main: \d chunks? written, 0 deleted, \d texts? embedded, live as")
    with urllib.request.urlopen(f"{address}/api/search?q=quagga") as response:
        assert json.load(response)["results"][0]["url"] == "/quagga"

    settings = indexed / "searchsocket.toml"
    settings.write_text("[source\n")
    assert dev.until(r"error \[CONFIG_INVALID\]")
    settings.write_text('[source]\nexclude = ["/quagga"]\n')
    assert dev.until(r"main: 0 chunks written, \d deleted")

    children = dev.children()
    assert children
    dev.process.send_signal(signal.SIGINT)
    dev.process.communicate(timeout=60)
    assert dev.process.returncode == 0
    assert not any(map(is_alive, children))


def test_a_port_that_is_in_use_is_passed_over() -> None:
    """As builders do it; `serve`, which others must find, ends with a code of its own."""
    with socket.create_server(("127.0.0.1", 0)) as busy_socket:
        port = busy_socket.getsockname()[1]
        assert port < free_port("127.0.0.1", port) < port + 20
    assert free_port("127.0.0.1", port) == port
    assert free_port("192.0.2.1", port) == port, "an address of another machine"


def test_serve_names_the_port_that_is_in_use(indexed: Path, run: RunCli) -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy_socket:
        port = busy_socket.getsockname()[1]
        result = run("serve", "--port", str(port))
    assert result.exit_code == 5
    assert f"error [ADDRESS_IN_USE]: port {port} on 127.0.0.1 is in use; pass another with --port\n" in result.stderr


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are listed in /proc")
def test_it_runs_the_builder_which_ends_with_it(indexed: Path) -> None:
    page = "<title>Quagga</title><main><h1>Quagga</h1><p>A zebra.</p></main>"
    dev = Dev(indexed, "--port", "0", "--build", f"echo '{page}' >build/quagga.html; sleep 600; true")
    try:
        dev.until(r"main: \d chunks? written, 0 deleted, \d texts? embedded, live as")
        members = [member for child in dev.children() for member in session_members(child)]
        assert any(Path(f"/proc/{member}/comm").read_text() == "sleep\n" for member in members)
        watched = [os.pidfd_open(member) for member in members]
        dev.process.kill()
        assert all(select.select([item], [], [], 60)[0] for item in watched), "something goes on"
    finally:
        dev.process.kill()
        dev.process.communicate()


def test_it_reports_that_the_builder_ended(indexed: Path) -> None:
    dev = Dev(indexed, "--port", "0", "--build", "exit 7")
    try:
        dev.until(r"the build command ended with status 7; indexing continues when the build changes")
    finally:
        dev.process.kill()
        dev.process.communicate()


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are listed in /proc")
def test_child_processes_end_with_dev_even_if_it_is_killed(dev: Dev) -> None:
    dev.until(r"http://127\.0\.0\.1:\d+")
    (service,) = dev.children()
    watched = os.pidfd_open(service)
    dev.process.kill()
    assert select.select([watched], [], [], 60)[0], "the service goes on"
    os.close(watched)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are listed in /proc")
def test_dagster_runs_beside_it_and_ends_with_it(indexed: Path) -> None:
    """Its web server, daemon and code servers are processes of their own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    dev = Dev(indexed, "--dagster", "--dagster-port", str(port))
    members: list[int] = []
    try:
        dev.until(r"Serving dagster-webserver on http://127\.0\.0\.1:")  # which listens a little later
        leaders = dev.children()  # Dagster begins a session of its own, below the command that ends it
        members = [member for child in leaders for member in session_members(child)]
        members += [item for member in [*members] for child in children_of(member) for item in session_members(child)]
        members = list(dict.fromkeys(members))
        assert len(members) >= 5  # the service, Dagster, its web server, its daemon, its code server
        run_status = {"jobName": "index_site", "status": "SUCCESS"}
        deadline = time.monotonic() + 240
        while run_status not in ask_dagster(port, RUNS)["runsOrError"]["results"]:  # a sensor shows the command's run
            assert time.monotonic() < deadline, "no run of the command is shown"
            time.sleep(1)
        dev.process.send_signal(signal.SIGINT)
        dev.process.communicate(timeout=120)
        assert dev.process.returncode == 0
        assert not any(map(is_alive, members))
    finally:
        for pid in (dev.process.pid, *members):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        dev.process.communicate()


RUNS = "{ runsOrError { ... on Runs { results { jobName status } } } }"


def ask_dagster(port: int, query: str) -> Any:
    """Ask until somebody listens."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/graphql", json.dumps({"query": query}).encode(), {"Content-Type": "application/json"}
    )
    deadline = time.monotonic() + 240
    while True:
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["data"]
        except OSError:
            assert time.monotonic() < deadline, "nobody listens"
