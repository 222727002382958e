"""Reranking from the command line: `search --rerank`, and what `doctor` says of the reranker."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from runner_types import RunCli, RunJson

from tests.models.rerankers.jina_server import KEY, Reply, Server, serve


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Configured in the environment, with its key."""
    with serve() as server:
        monkeypatch.setenv("SEARCHSOCKET__RERANK__PROVIDER", "jina")
        monkeypatch.setenv("SEARCHSOCKET__RERANK__TIMEOUT_S", "20")
        monkeypatch.setenv("SEARCHSOCKET__RERANK__JINA__BASE_URL", server.url)
        monkeypatch.setenv("JINA_API_KEY", KEY)
        yield server


def test_a_search_is_reranked_where_it_says_so(run: RunCli, run_json: RunJson, indexed: Path, server: Server) -> None:
    assert run_json("search", "tide table", project=indexed)["meta"]["usedRerank"] is False
    assert server.requests == []
    result = run("search", "tide table", "--rerank", "--explain", project=indexed)
    assert "rerank " in result.stdout
    assert "deprecated" in result.stderr
    (paid,) = [
        line for line in run_json("status", project=indexed)["costs"]["ledger"] if line["usedFor"] == "reranking"
    ]
    assert paid["tokens"] == server.tokens > 0
    server.always = Reply(500, {"detail": KEY})
    result = run("search", "tide", "--rerank", project=indexed)
    assert (result.exit_code, "note: the reranker failed" in result.stderr) == (0, True)
    assert KEY not in result.output
    assert [path for path in indexed.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()] == []


def line_of(report: dict[str, list[dict[str, str]]]) -> dict[str, str]:
    (line,) = (line for line in report["checks"] if line["name"] == "reranker")
    return line


def test_doctor_asks_the_reranker_for_two_words(run_json: RunJson, indexed: Path, server: Server) -> None:
    line = line_of(run_json("doctor", project=indexed))
    assert (line["ok"], line["detail"]) == (True, "jina-jina-reranker-v2-base-multilingual answers")
    assert 'rerank.jina.model = "jina-reranker-v3"' in line["fix"]
    assert [request["documents"] for request in server.requests] == [["search", "socket"]]


@pytest.mark.parametrize(
    ("status", "key", "words"),
    [(401, KEY, "rejects the key"), (402, KEY, "no credit"), (500, KEY, "500"), (200, "", "$JINA_API_KEY")],
)
def test_doctor_says_what_is_wrong_with_it(
    run_json: RunJson, indexed: Path, server: Server, monkeypatch: pytest.MonkeyPatch, status: int, key: str, words: str
) -> None:
    monkeypatch.setenv("JINA_API_KEY", key)
    server.always = Reply(status, {"detail": KEY})
    line = line_of(run_json("doctor", project=indexed))
    assert (line["ok"], words in line["detail"], bool(line["fix"])) == (False, True, True)
    assert KEY not in str(line)
