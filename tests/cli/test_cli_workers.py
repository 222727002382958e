"""`serve --workers`: real processes at one address, and what becomes of them."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from test_cli_process import COMMAND, ROUTE, ready_status, route_file, start

from tests.agents.agent_project import ERAS, talk, text_of

pytestmark = [
    pytest.mark.dagster,
    pytest.mark.skipif(sys.platform != "linux", reason="children of a process are read in /proc"),
]
SERVE = (str(COMMAND), "serve", "--port", "0", "--workers", "2")


def workers_of(process: subprocess.Popen[str]) -> set[int]:
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return {int(pid) for pid in children if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()}


def wait_until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        threading.Event().wait(0.01)


def is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@contextmanager
def two_workers(site: Path, *options: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The address of two workers and their supervisor, which is ended with all of them."""
    process = start(*SERVE, "--mcp", *options, cwd=site)
    assert process.stdout is not None
    try:
        address = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
        assert address, process.communicate()
        yield address[0], process
    finally:
        process.terminate()
        process.communicate(timeout=60)


def in_each_worker(process: subprocess.Popen[str], ask: Callable[[], object]) -> list[object]:
    """Return the answer of each worker; the other workers are paused, so they accept no request."""
    answers, workers = [], workers_of(process)
    for worker in workers:
        for other in workers - {worker}:
            os.kill(other, signal.SIGSTOP)
        answers.append(ask())
        for other in workers - {worker}:
            os.kill(other, signal.SIGCONT)
    return answers


def generation(address: str) -> object:
    with urllib.request.urlopen(f"{address}/api/search?q=mooring+rope", timeout=30) as response:
        return json.load(response)["meta"]["generation"]


def told_to_agents(address: str, token: str) -> list[bool]:
    """Return, for each era of the protocol, True if the official client finds the page."""

    async def search_as_agent(client: Client) -> str:
        return text_of(await client.call_tool("search", {"query": "mooring rope"}))

    def ask(mode: str) -> str:
        http = httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"})
        return str(talk(streamable_http_client(f"{address}/mcp", http_client=http), search_as_agent, mode))

    return [f"route file {ROUTE}" in ask(mode) for mode in ERAS]


def counted(address: str, token: str) -> float:
    request = urllib.request.Request(f"{address}/metrics", headers={"authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=30) as response:
        text = response.read().decode()
    return float(re.search(r'searchsocket_requests_total\{endpoint="search",.*status="200"\} (\S+)', text)[1])  # type: ignore[index]


def test_each_worker_knows_the_token_and_the_newest_generation_and_all_are_counted(indexed: Path) -> None:
    with two_workers(indexed) as (address, process):
        token = (indexed / ".searchsocket" / "serve.token").read_text().strip()
        assert len(workers_of(process)) == 2
        assert in_each_worker(process, lambda: route_file(address, token)) == [ROUTE, ROUTE]
        wait_until(lambda: counted(address, token) == 2)  # a request is counted after its answer was sent
        assert in_each_worker(process, lambda: counted(address, token)) == [2, 2]
        assert in_each_worker(process, lambda: told_to_agents(address, token)) == [[True, True], [True, True]]
        before = generation(address)
        page = next(file for file in indexed.rglob("*.html") if "mooring rope" in file.read_text().lower())
        page.write_text(page.read_text().replace("</p>", " Splice it.</p>"))
        subprocess.run([COMMAND, "index"], cwd=indexed, capture_output=True, check=True)
        after = in_each_worker(process, lambda: generation(address))
        assert len(set(after)) == 1
        assert before not in after


def test_a_worker_that_dies_is_missed_by_nobody_and_started_again(indexed: Path) -> None:
    with two_workers(indexed) as (address, process):
        before = workers_of(process)
        victim = min(before)
        os.kill(victim, signal.SIGKILL)
        wait_until(lambda: generation(address) and len(workers_of(process) - before) == 1)
        assert len(in_each_worker(process, lambda: generation(address))) == 2
        workers = workers_of(process)
        process.terminate()
        assert "a worker ended with status -9; started a new one" in process.communicate(timeout=60)[1]
        assert process.returncode == 0
        assert all(is_gone(pid) for pid in workers)


@pytest.mark.long
def test_all_workers_drain_and_a_second_signal_ends_them_at_once(indexed: Path) -> None:
    with two_workers(indexed, "--drain-seconds", "3000") as (address, process):
        process.terminate()
        wait_until(lambda: in_each_worker(process, lambda: ready_status(address)) == [503, 503])
        assert generation(address)
    assert process.returncode == 0


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGHUP, marks=pytest.mark.long)])
def test_a_signal_ends_all_workers_without_a_word(indexed: Path, number: signal.Signals) -> None:
    """One line at the start and one on trust, whatever the number of workers; Ctrl-C goes to all processes at once."""
    process = start(*SERVE, cwd=indexed)
    assert process.stdout is not None
    assert process.stdout.readline().startswith("Searching at http://127.0.0.1:")
    assert process.stdout.readline().startswith("Send the token in ")
    workers = workers_of(process)
    for pid in (process.pid, *(workers if number == signal.SIGINT else ())):
        os.kill(pid, number)
    assert process.communicate(timeout=60) == ("", "")
    assert process.returncode == 0
    assert len(workers) == 2
    assert all(is_gone(pid) for pid in workers)


def test_workers_do_not_outlive_their_supervisor(indexed: Path) -> None:
    process = start(*SERVE, cwd=indexed)
    assert process.stdout is not None
    process.stdout.readline()
    workers = workers_of(process)
    process.kill()
    process.communicate(timeout=60)  # until the last one closes its end
    wait_until(lambda: all(is_gone(pid) for pid in workers))


def test_a_number_of_workers_that_is_none_is_refused(indexed: Path) -> None:
    result = subprocess.run(
        [COMMAND, "serve", "--workers", "0"], cwd=indexed, capture_output=True, text=True, check=False
    )
    assert result.returncode == 2
    assert "--workers" in result.stderr
