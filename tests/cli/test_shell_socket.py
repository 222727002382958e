"""`searchsocket search` asks a running service of the same project and user, and answers as it would by itself."""

import json
import os
import re
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from runner_types import RunCli

from searchsocket.cli.service_client import address, ask, identity
from searchsocket.cli.service_socket import answering
from searchsocket.project.project import open_project
from searchsocket.serving.service import open_service

QUERIES = (
    ["mooring", "rope"],
    ["tide", "--top-k", "1", "--explain"],
    ["rope", "--json", "--group-by", "chunk"],
    ["rope", "--path-prefix", "/docs", "--kind", "section", "--language", "en"],
    ["rope", "--prefer-language", "de"],
    ["rope", "--prefer-language", "no language"],
    ["zzzz qqqq"],
    ["rope", "--scope", "nowhere"],
    ["rope", "--filter", "colour=red"],
    ["rope", "--scope", "nowhere", "--json"],
)
_TIMES = re.compile(r'in \d+ ms|"(?:timingsMs":\{[^}]*\}|ageSeconds":[\d.]+)')


@contextmanager
def served(root: Path) -> Iterator[list[BaseException]]:
    """A service beside which the socket is; what it says went wrong."""
    errors: list[BaseException] = []
    project = open_project(root, os.environ)
    with answering(project, os.environ, open_service(project, os.environ, on_error=errors.append)):
        yield errors


def socket_of(root: Path) -> Path:
    return root / ".searchsocket" / "serve.sock"


def search_over_socket(root: Path) -> object:
    query = {"q": "rope", "filters": (), "tags": (), "facets": (), "version": ()}
    return ask(str(root), os.environ, {"query": query, "scope": None, "json": True, "width": 80})


def test_a_service_of_other_installed_packages_does_not_answer(
    indexed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An upgrade changes the folder of packages; an answer of the old code would look like one of the new."""
    packages = tmp_path / "lib" / "site-packages"
    packages.mkdir(parents=True)
    monkeypatch.syspath_prepend(str(packages))
    with served(indexed):
        before = identity(str(indexed), os.environ)
        assert search_over_socket(indexed) is not None
        os.utime(packages, (1, 1))
        assert identity(str(indexed), os.environ) != before
        assert search_over_socket(indexed) is None


@pytest.mark.parametrize("arguments", QUERIES, ids=" ".join)
def test_an_answer_is_the_same_with_a_service_and_without(indexed: Path, run: RunCli, arguments: list[str]) -> None:
    alone = run("search", *arguments, project=indexed)
    with served(indexed):
        assert search_over_socket(indexed) is not None
        by_service = run("search", *arguments, project=indexed)
    assert _TIMES.sub("", by_service.stdout) == _TIMES.sub("", alone.stdout)
    assert (by_service.exit_code, by_service.stderr) == (alone.exit_code, alone.stderr)


def test_a_query_through_a_service_opens_no_index(indexed: Path) -> None:
    """Bar: 0.12 s of CPU, most of it Python with click."""
    program = (
        "import sys; from searchsocket.cli.main import cli\n"
        "cli(['search', 'mooring rope'], standalone_mode=False)\n"
        "print({'numpy', 'pydantic', 'sqlite3', 'filelock'} & set(sys.modules))"
    )
    with served(indexed):
        result = subprocess.run(
            [sys.executable, "-c", program], cwd=indexed, capture_output=True, text=True, check=True
        )
    lines = result.stdout.splitlines()
    assert lines[0].startswith("1. Ropes")
    assert lines[-1] == "set()"


def test_the_socket_is_its_owners_and_goes_with_the_service(indexed: Path) -> None:
    with served(indexed):
        mode = socket_of(indexed).stat().st_mode
        assert stat.S_ISSOCK(mode)
        assert stat.S_IMODE(mode) == 0o600
        assert search_over_socket(indexed) is not None
        socket_of(indexed).chmod(0o666)
        assert search_over_socket(indexed) is None
    assert not socket_of(indexed).exists()
    assert not list((indexed / ".searchsocket").glob("serve.sock*"))


def test_other_settings_or_variables_are_not_answered_by_it(indexed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with served(indexed):
        assert search_over_socket(indexed) is not None
        monkeypatch.setenv("SEARCHSOCKET__RANKING__CANDIDATE_K", "60")
        assert search_over_socket(indexed) is None
        monkeypatch.undo()
        (indexed / "searchsocket.toml").write_text("[ranking]\ncandidate_k = 60\n")
        assert search_over_socket(indexed) is None


def test_a_second_service_leaves_the_socket_to_the_first_and_a_dead_one_is_replaced(indexed: Path) -> None:
    with socket.socket(socket.AF_UNIX) as dead, address(str(socket_of(indexed))) as name:
        dead.bind(name)
    assert search_over_socket(indexed) is None
    with served(indexed):
        first = socket_of(indexed).stat().st_ino
        with served(indexed):
            assert socket_of(indexed).stat().st_ino == first
        assert search_over_socket(indexed) is not None


@pytest.mark.parametrize("request_line", [b"", b"\n", b"[]\n", b"{}\n", b"\xff\n", b"1" * 64_000, b'{"identity": 1}\n'])
def test_an_invalid_request_is_declined_and_the_next_answered(indexed: Path, request_line: bytes) -> None:
    with served(indexed) as errors:
        with socket.socket(socket.AF_UNIX) as connection:
            with address(str(socket_of(indexed))) as name:
                connection.connect(name)
            connection.sendall(request_line)
            connection.shutdown(socket.SHUT_WR)
            with connection.makefile("rb") as file:
                assert json.loads(file.read() or b'{"declined": true}') == {"declined": True}
        assert search_over_socket(indexed) is not None
    assert errors == []
