"""The installed command in its own process: signals, pipes, and what it prints where."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.error import HTTPError

import pytest
from click.testing import CliRunner

from searchsocket.cli.main import cli

pytestmark = pytest.mark.dagster

COMMAND = Path(sys.executable).with_name("searchsocket")


def start(*arguments: str, cwd: Path, **environ: str) -> subprocess.Popen[str]:
    # A shell that runs tests in the background makes its children ignore SIGINT; users' terminals do not.
    code = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1", **environ},
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_serve_answers_until_it_is_told_to_stop(indexed_site: Path, number: int) -> None:
    """To be told is how a server ends, so that is no failure."""
    process = start(str(COMMAND), "serve", "--port", "0", cwd=indexed_site)
    assert process.stdout is not None
    output = process.stdout.readline()
    address = re.search(r"http://127\.0\.0\.1:\d+", output)
    assert address, (output, process.communicate())
    with urllib.request.urlopen(f"{address[0]}/api/search?q=mooring+rope") as response:
        assert json.load(response)["results"][0]["url"] == "/docs/ropes"
    port = address[0].rpartition(":")[2]
    second_server = subprocess.run(
        [COMMAND, "serve", "--port", port], cwd=indexed_site, capture_output=True, text=True, check=False
    )
    assert second_server.returncode == 5
    assert re.match(r"error \[\w+\]: .*in use", second_server.stderr)
    process.send_signal(number)
    _, stderr = process.communicate(timeout=60)
    assert (process.returncode, stderr) == (0, "")


@contextmanager
def served(site: Path, *arguments: str, **environ: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the address of `searchsocket serve`, and its messages about trusted callers."""
    process = start(str(COMMAND), "serve", "--port", "0", *arguments, cwd=site, **environ)
    assert process.stdout is not None
    output_lines: list[str] = []
    try:
        address = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
        assert address, process.communicate()
        yield address[0], output_lines
    finally:
        process.terminate()
        assert process.stderr is not None
        output_lines += (process.stdout.read() + process.stderr.read()).splitlines()
        process.wait(60)


def route_file(address: str, secret: str = "") -> object:
    """The source path of a result, which only the trusted are told."""
    headers = {"authorization": f"Bearer {secret}"} if secret else {}
    request = urllib.request.Request(f"{address}/api/search?q=mooring+rope", headers=headers)
    with urllib.request.urlopen(request) as response:
        return json.load(response)["results"][0]["routeFile"]


ROUTE = "src/routes/docs/[slug]/+page.svelte"


@pytest.fixture
def token_file(indexed: Path) -> Path:
    """Return the path of the token file, without the token of an earlier service."""
    file = indexed / ".searchsocket" / "serve.token"
    file.unlink(missing_ok=True)
    return file


def ready_status(address: str) -> int:
    try:
        with urllib.request.urlopen(f"{address}/api/ready", timeout=30) as response:
            return int(response.status)
    except HTTPError as error:
        return error.code


def free_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        return int(listener.getsockname()[1])


def test_serve_drains_before_it_stops(indexed_site: Path) -> None:
    """Balancers are told first, queries and metrics are still answered; a second signal does not wait."""
    port = free_port()
    options = ("--drain-seconds", "3000", "--metrics-port", str(port))
    process = start(str(COMMAND), "serve", "--port", "0", *options, cwd=indexed_site)
    assert process.stdout is not None
    address = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
    assert address, process.communicate()
    assert ready_status(address[0]) == 200
    process.terminate()
    while ready_status(address[0]) == 200:
        threading.Event().wait(0.01)
    assert route_file(address[0]) is None
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as response:
        assert b"searchsocket_ready{project=" in response.read()
    process.terminate()
    process.communicate(timeout=60)
    assert process.returncode == 0


def test_warnings_of_serve_are_json_where_it_is_asked_for(tmp_path: Path) -> None:
    """And one that stays true is written once."""
    (tmp_path / "searchsocket.toml").write_text('[project]\nid = "site"\n')
    with served(tmp_path, "--log-format", "json") as (address, log_lines):
        assert [ready_status(address) for _ in range(3)] == [503, 503, 503]
    [line] = [json.loads(line) for line in log_lines if line.startswith("{")]
    assert (line["level"], line["code"]) == ("warning", "SCOPE_NOT_INDEXED")


def test_serve_logs_requests_where_it_is_asked_to(indexed: Path) -> None:
    """On stderr, one line of JSON each."""
    with served(indexed, "--access-log") as (address, log_lines):
        route_file(address)
    [line] = [json.loads(line) for line in log_lines if line.startswith("{")]
    assert (line["endpoint"], line["status"]) == ("search", 200)


def test_serve_trusts_the_token_of_the_state_folder(indexed: Path, token_file: Path) -> None:
    """Nobody else, however local; a second server takes the same, and neither prints it."""
    with served(indexed) as (first, log_lines), served(indexed) as (second, _):
        token = token_file.read_text().strip()
        for address in (first, second):
            assert route_file(address) is None
            assert route_file(address, token) == ROUTE
    assert token_file.stat().st_mode & 0o777 == 0o600
    assert log_lines == [f"Send the token in {token_file} for full access"]


def test_a_key_that_is_set_ends_the_trust_in_the_token(indexed: Path, token_file: Path) -> None:
    with served(indexed, "--dev", SEARCHSOCKET_API_KEY="k" * 24) as (address, log_lines):
        assert route_file(address) is None
        assert route_file(address, "k" * 24) == ROUTE
    assert not token_file.exists()
    assert log_lines == [
        f"Coding agents: {address}/mcp (Model Context Protocol)",
        "Send the key in SEARCHSOCKET_API_KEY for full access",
        "--dev has no effect, because a key is set",
    ]
    with served(indexed):
        token = token_file.read_text().strip()
    with served(indexed, SEARCHSOCKET_API_KEY="k" * 24) as (address, _), pytest.raises(HTTPError, match="401"):
        route_file(address, token)


def test_dev_trusts_this_machine_and_says_so(indexed: Path, token_file: Path) -> None:
    with served(indexed, "--dev") as (address, log_lines):
        assert route_file(address) == ROUTE
    assert log_lines == [
        f"Coding agents: {address}/mcp (Model Context Protocol)",
        f"Send the token in {token_file} for full access",
        "Every program on this machine has full access (--dev)",
    ]
    refused = subprocess.run(
        [COMMAND, "serve", "--dev", "--host", "0.0.0.0"], cwd=indexed, capture_output=True, text=True, check=False
    )
    assert refused.returncode == 2
    assert "other machines can reach 0.0.0.0" in refused.stderr


def test_a_state_folder_that_cannot_be_written_is_served_without_a_token(indexed: Path, token_file: Path) -> None:
    """As to a user who may only read it."""
    locks = indexed / ".searchsocket" / ".locks"
    shutil.rmtree(locks)
    locks.write_text("no folder")
    with served(indexed) as (address, log_lines):
        assert route_file(address) is None
    (line,) = log_lines
    assert line.startswith(f"no token: cannot lock {locks}")
    assert not token_file.exists()


def test_a_reader_that_goes_away_is_no_error(indexed_site: Path) -> None:
    """`searchsocket search ... | head -1`"""
    piped = f"{COMMAND} search tide --top-k 5 | head -1"
    result = subprocess.run(["bash", "-c", piped], cwd=indexed_site, capture_output=True, text=True, check=True)
    assert result.stdout.startswith("1. ")
    assert result.stderr == ""


def test_json_is_utf_8_in_every_locale(indexed_site: Path) -> None:
    """A terminal of another encoding ended the command with a traceback at the first dash of a title."""
    environ = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    process = subprocess.run(
        [COMMAND, "search", "--json", "rope — 船"], cwd=indexed_site, env=environ, capture_output=True
    )
    assert process.returncode == 0, process.stderr
    assert json.loads(process.stdout.decode())["q"] == "rope — 船"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("options", [(), ("--json",)])
def test_output_that_cannot_be_written_is_an_error_in_words(indexed_site: Path, options: Sequence[str]) -> None:
    with Path("/dev/full").open("w") as full:
        process = subprocess.run(
            [COMMAND, "search", *options, "rope"], cwd=indexed_site, stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert process.returncode == 1
    assert process.stderr.startswith("error [STATE_UNAVAILABLE]: cannot read or write: No space left")


def test_a_closed_stdout_is_no_error(indexed_site: Path) -> None:
    process = subprocess.run(
        ["/bin/sh", "-c", 'exec "$0" search rope >&-', COMMAND], cwd=indexed_site, stderr=subprocess.PIPE, text=True
    )
    assert (process.returncode, process.stderr) == (0, "")


def test_serve_without_an_index_waits_for_the_first_one(site: Path) -> None:
    """It says so once, in a sentence with the public code, and then answers from what is published."""
    process = start(str(COMMAND), "serve", "--port", "0", cwd=site)
    assert process.stdout is not None
    address = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
    assert address, process.communicate()
    for _ in range(2):
        with pytest.raises(HTTPError, match="503"):
            urllib.request.urlopen(f"{address[0]}/api/health")
    subprocess.run([COMMAND, "index"], cwd=site, check=True, capture_output=True)
    with urllib.request.urlopen(f"{address[0]}/api/search?q=mooring+rope") as response:
        assert json.load(response)["results"][0]["url"] == "/docs/ropes"
    process.terminate()
    _, stderr = process.communicate(timeout=60)
    assert (process.returncode, stderr) == (
        0,
        "warning [SCOPE_NOT_INDEXED]: scope 'main' has no index yet; run `searchsocket index --scope main`; "
        "waiting for the first index\n",
    )


CODE = ("init", "status", "sync", "search", "find", "fetch", "related", "invalidate", "serve")


def test_help_gives_an_example() -> None:
    commands = [
        "init",
        "index",
        "backfill",
        "search",
        "find",
        "ask",
        "serve",
        "dev",
        "status",
        "scopes",
        "doctor",
        "test",
        "demand",
        "diff",
        "upgrade",
        "rollback",
        "clean",
        "prune",
        "dagster",
    ]
    parts = [["cache", part] for part in ("status", "clear")]
    parts += [["artifacts", part] for part in ("push", "pull", "list", "prune")]
    parts += [["config", "show"], ["mcp"], ["mcp", "install"], ["mcp", "skill"], *(["code", part] for part in CODE)]
    for command in [*([command] for command in commands), *parts]:
        result = CliRunner().invoke(cli, [*command, "--help"])
        assert "Example:\n" in result.stdout
        assert "--project DIR" in result.stdout
    overview = subprocess.run([COMMAND, "--help"], capture_output=True, text=True, check=True).stdout
    assert re.findall(r"^  (\w+)  ", overview.partition("Commands:\n")[2], re.MULTILINE) == [
        "init",
        "static",
        *commands[1:4],
        "code",
        *commands[4:7],
        "export",
        "mcp",
        *commands[7:-1],
        "cache",
        "artifacts",
        "config",
        "dagster",
        "completion",
    ]


def test_no_thread_waits_for_products_that_nobody_makes() -> None:
    """numpy's OpenBLAS starts one a core, which spin as it is loaded: a fifth of the time of a query of the shell."""
    program = (
        "import os, searchsocket.cli.main as command\n"
        "def cli(): import numpy; print(os.environ['OPENBLAS_NUM_THREADS'], len(os.listdir('/proc/self/task')))\n"
        "command.cli = cli; command.main()"
    )
    environ = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    for set_by_the_user, expected in (({}, "1"), ({"OPENBLAS_NUM_THREADS": "2"}, "2")):
        result = subprocess.run(
            [sys.executable, "-c", program], env=environ | set_by_the_user, capture_output=True, text=True, check=True
        )
        number, threads = result.stdout.split()
        assert number == expected
        assert expected != "1" or threads == "1"
