"""Requests that ask for a reranker: where there is one, where there is none, and where its key is gone (spec 14.1)."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from api_client import ENVIRON, Api, make_project
from search_site import NOW

from search_api.app import create_app
from searchsocket.errors import ConfigError
from searchsocket.models.rerankers import judge
from tests.models.rerankers.jina_server import KEY, Reply, Server, serve

JINA = {"JINA_API_KEY": KEY}


@pytest.fixture
def server() -> Iterator[Server]:
    with serve() as server:
        yield server


def reranking(root: Path, server: Server, environ: dict[str, str], heard: list[BaseException]) -> Api:
    toml = f'[rerank]\nprovider = "jina"\ntimeout_s = 20.0\n[rerank.jina]\nbase_url = "{server.url}"\n'
    project = make_project(root, toml)
    app = create_app(project, environ=ENVIRON | environ, host="0.0.0.0", clock=lambda: NOW, on_error=heard.append)
    return Api(app)


def test_it_is_asked_for_in_the_body_or_in_the_url(tmp_path: Path, server: Server) -> None:
    heard: list[BaseException] = []
    api = reranking(tmp_path, server, JINA, heard)
    assert api.get("/api/search?q=battery").json()["meta"]["usedRerank"] is False
    assert server.requests == []
    for answer in (api.post({"q": "battery", "rerank": True}), api.get("/api/search?q=battery&rerank=true")):
        assert answer.status_code == 200, answer.text
        assert answer.json()["meta"]["usedRerank"] is True
        assert answer.json()["meta"]["notes"] == []
    assert len(server.requests) == 1  # the second one was answered before
    assert "deprecated" in str(heard[0])
    schemas = api.get("/api/openapi.json").json()["components"]["schemas"]
    assert "const" not in schemas["SearchRequest"]["properties"]["rerank"]


def test_the_document_says_if_no_reranker_is_configured(api: Api) -> None:
    document = api.get("/api/openapi.json").json()
    schemas = [document["components"]["schemas"]["SearchRequest"]["properties"]["rerank"]]
    parameters = document["paths"]["/api/search"]["get"]["parameters"]
    schemas += [parameter["schema"] for parameter in parameters if parameter["name"] == "rerank"]
    assert [schema["const"] for schema in schemas] == [False, False]
    assert api.get("/api/search?q=battery&rerank=true").json()["error"]["code"] == "INVALID_REQUEST"


def test_without_its_key_whoever_does_not_ask_is_answered(tmp_path: Path, server: Server) -> None:
    """A request for the reranker gets an error without the details for the operator."""
    heard: list[BaseException] = []
    api = reranking(tmp_path, server, {}, heard)
    assert api.get("/api/search?q=battery").status_code == 200
    refused = api.get("/api/search?q=battery&rerank=true")
    assert (refused.status_code, refused.json()["error"]["code"]) == (503, "CONFIG_MISSING")
    assert "JINA_API_KEY" not in refused.text
    assert server.requests == []


def test_a_failure_is_a_note_that_no_cache_keeps_and_holds_no_key(tmp_path: Path, server: Server) -> None:
    heard: list[BaseException] = []
    api = reranking(tmp_path, server, JINA, heard)
    server.always = Reply(500, {"detail": f"a bad day for {KEY}"})
    answer = api.get("/api/search?q=battery&rerank=true")
    assert [note["code"] for note in answer.json()["meta"]["notes"]] == ["RERANKER_UNAVAILABLE"]
    assert "etag" not in answer.headers
    assert KEY not in answer.text + "".join(map(str, heard))


def test_a_stuck_reranker_holds_nobody_who_does_not_ask_for_it(tmp_path: Path, server: Server) -> None:
    """Its calls wait in threads of their own, a few of them, and plain queries are answered where they arrive."""
    api = reranking(tmp_path, server, JINA, [])
    assert api.get("/api/search?q=battery").status_code == 200
    server.always = Reply(hang=threading.Event())
    asking = threading.Thread(target=lambda: api.get("/api/search?q=battery&rerank=true"), daemon=True)
    asking.start()
    while not server.requests:
        assert asking.is_alive()
    assert api.get("/api/search?q=charge").json()["meta"]["usedRerank"] is False
    assert [entry.name for entry in threading.enumerate()].count(judge.THREAD_NAME) == 1
    assert asking.is_alive()
    assert server.always.hang
    server.always.hang.set()
    asking.join(30)


def test_a_reranker_whose_price_is_unknown_is_refused_at_the_start(tmp_path: Path, server: Server) -> None:
    """Else each query that asks for it would fail."""
    toml = f'[rerank]\nprovider = "jina"\n[rerank.jina]\nmodel = "unknown"\nbase_url = "{server.url}"\n'
    with pytest.raises(ConfigError, match="price"):
        create_app(make_project(tmp_path, toml), environ=ENVIRON | JINA, host="0.0.0.0")
