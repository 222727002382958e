"""`searchsocket mcp` as a client starts it: over stdin and stdout, for the branch of the folder that it stands in."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from searchsocket.agents.checkout import CheckoutLibraries, project_around
from searchsocket.agents.server import make_server
from searchsocket.cli import mcp, sites
from searchsocket.cli.main import cli
from searchsocket.project.project import Project
from searchsocket.project.scopes import sanitise_scope
from tests.agents.agent_project import ERAS, call, talk, text_of

COMMAND = Path(sys.executable).with_name("searchsocket")
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}


@pytest.mark.parametrize("mode", ERAS)
def test_the_official_client_is_answered_in_both_eras(agent_project: Project, mode: str) -> None:
    started = StdioServerParameters(command=str(COMMAND), args=["mcp"], cwd=str(agent_project.root / "src"))

    progress: list[tuple[float, float | None, str | None]] = []

    async def report(count: float, total: float | None, message: str | None) -> None:
        progress.append((count, total, message))

    async def about(client: Client) -> Any:
        first = await client.call_tool("search", {"query": "battery"}, progress_callback=report)
        await client.call_tool("search", {"query": "dock"}, progress_callback=report)
        return client.protocol_version, first

    words = [(0, 1, "opening the index"), (1, 1, "answered")]
    version, result = talk(stdio_client(started), about, mode)
    assert version == ERAS[mode]
    assert "1. Battery" in text_of(result)
    # Of the first call, unless the index was open by then. A client listens no more once it has the answer, which comes
    # right behind the last word.
    assert progress in ([], words[:1], words)


@pytest.mark.parametrize("mode", ERAS)
def test_a_call_that_has_to_open_the_index_says_so_first(checkout: Path, mode: str) -> None:
    progress: list[str | None] = []

    async def report(_: float, __: float | None, message: str | None) -> None:
        progress.append(message)

    async def about(client: Client) -> None:
        for query in ("battery", "dock"):
            await client.call_tool("search", {"query": query}, progress_callback=report)

    talk(make_server(CheckoutLibraries(checkout, {})), about, mode)
    # Once; a client listens no more once it has the answer, which comes right behind the last word.
    assert progress in (["opening the index"], ["opening the index", "answered"])


def test_nothing_but_the_protocol_is_on_stdout_and_closing_stdin_ends_it(agent_project: Project) -> None:
    """Whatever is sent: what is no message is answered as such, or left alone."""
    lines = [json.dumps(HELLO), "no json", '{"jsonrpc": "2.0", "id": 2, "method": "tools/delete"}', "[]", "\x00"]
    result = subprocess.run(
        [COMMAND, "mcp", "--project", agent_project.root],
        input="\n".join([*lines, ""]), capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    messages = [json.loads(line) for line in result.stdout.splitlines()]
    assert {message["jsonrpc"] for message in messages} == {"2.0"}
    assert messages[0]["result"]["serverInfo"]["name"] == "searchsocket"
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("calls", [1, 7])
def test_requests_before_the_end_of_stdin_are_answered(agent_project: Project, calls: int) -> None:
    """A script sends them from a file; all but the first were lost."""
    queries = [{"name": "search", "arguments": {"query": f"battery {number}"}} for number in range(calls)]
    lines = [HELLO, {"jsonrpc": "2.0", "method": "notifications/initialized"}]
    lines += [
        {"jsonrpc": "2.0", "id": f"call {number}", "method": "tools/call", "params": query}
        for number, query in enumerate(queries)
    ]
    result = subprocess.run(
        [COMMAND, "mcp", "--project", agent_project.root],
        input="".join(json.dumps(line) + "\n" for line in lines),
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    answers = {message["id"]: message["result"] for message in map(json.loads, result.stdout.splitlines())}
    assert answers.keys() == {1, *(f"call {number}" for number in range(calls))}
    assert all("1. Battery" in answers[f"call {number}"]["content"][0]["text"] for number in range(calls))
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_while_stdin_is_open(agent_project: Project, number: signal.Signals) -> None:
    """A container is stopped by SIGTERM, and its first process ignores a signal that it does not handle."""
    server = subprocess.Popen(
        [COMMAND, "mcp", "--project", agent_project.root], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(json.dumps(HELLO).encode() + b"\n")
        server.stdin.flush()
        assert b"serverInfo" in server.stdout.readline()
        server.send_signal(number)
        try:
            assert server.wait(timeout=60) == 128 + number
        finally:
            server.kill()


def test_a_client_that_dies_during_an_answer_ends_the_server_quietly(agent_project: Project) -> None:
    """Its closed pipe is no defect, so nothing is reported."""
    server = subprocess.Popen(
        [COMMAND, "mcp", "--project", agent_project.root],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdout.close()
    with suppress(OSError):
        server.stdin.write(json.dumps(HELLO).encode() + b"\n")
        server.stdin.close()
    server.stdin = None
    _, errors = server.communicate(timeout=120)
    assert (server.returncode, errors) == (0, b"")


def test_a_server_that_is_turned_off_says_so(tmp_path: Path) -> None:
    (tmp_path / "searchsocket.toml").write_text("[mcp]\nenable = false\n")
    result = subprocess.run([COMMAND, "mcp"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("error [CONFIG_INVALID]: mcp.enable is false")


def test_the_configured_transport_counts_unless_the_command_names_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []
    monkeypatch.setattr(sites, "serve_libraries", lambda *_, **__: started.append("stdio"))
    monkeypatch.setattr(mcp, "serve_http", lambda *_, **__: started.append("http"))
    (tmp_path / "searchsocket.toml").write_text('[mcp]\ntransport = "http"\n')
    for arguments in ([], ["--transport", "stdio"]):
        assert CliRunner().invoke(cli, ["mcp", "--project", str(tmp_path), *arguments]).exit_code == 0
    assert started == ["http", "stdio"]


def git(folder: Path, *arguments: str) -> str:
    environ = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "HOME": str(folder)}
    name = ["-c", "user.name=t", "-c", "user.email=t@example.com"]
    command = ["git", *name, *arguments]
    return subprocess.run(
        command, cwd=folder, check=True, capture_output=True, text=True, env=os.environ | environ
    ).stdout


@pytest.fixture
def checkout(agent_project: Project, tmp_path: Path) -> Path:
    """A repository whose settings name scopes by branches, with the index of `main` in its state folder."""
    root = tmp_path / "repository"
    shutil.copytree(agent_project.root, root)
    with open(root / "searchsocket.toml", "a") as file:
        file.write('[scope]\nmode = "git"\n')
    (root / ".gitignore").write_text(".searchsocket/\n")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "all")
    return root


def answer(root: Path, scope: str = "") -> Mapping[str, Any]:
    """Return the project and scope that a call from a folder reads."""
    library = CheckoutLibraries(project_around(root), {}).find(scope)
    indexed = library.service.store.generation(library.scope)
    return {"root": library.project.root, "scope": library.scope.name, "branch": library.branch, "indexed": indexed}


def test_the_scope_is_that_of_the_branch_where_the_agent_stands(checkout: Path, tmp_path: Path) -> None:
    """Also of another worktree, whose state folder is its own, and also when another branch is checked out later."""
    libraries = CheckoutLibraries(project_around(checkout / "src"), {})
    assert libraries.find("").name == "scope main"
    git(checkout, "checkout", "-q", "-b", "feature/ropes")
    library = libraries.find("")
    assert (library.branch, library.scope.name) == ("feature/ropes", sanitise_scope("feature/ropes"))
    assert library.name == f"scope {library.scope.name}, branch feature/ropes"
    git(checkout, "worktree", "add", "-q", str(tmp_path / "other"), "main")
    other = answer(tmp_path / "other" / "src")
    assert (other["root"], other["scope"]) == (checkout, "main")  # it was indexed there, and not here
    assert other["indexed"] is not None
    scope_name = CheckoutLibraries(project_around(tmp_path / "other" / "src"), {}).find("").name
    assert scope_name == f"scope main, from the main checkout {checkout}"


def test_a_branch_that_is_not_indexed_is_answered_with_what_to_run(checkout: Path) -> None:
    git(checkout, "checkout", "-q", "-b", "new")
    server = make_server(CheckoutLibraries(checkout, {}), structured=True)
    missed = call(server, "search", query="battery")
    assert missed.structured_content["error"]["code"] == "SCOPE_NOT_INDEXED"
    assert "run `searchsocket index --scope new`" in text_of(missed)
    assert "Indexed scopes: main" in text_of(missed)
    assert not call(server, "search", query="battery", scope="main").is_error
