"""Every request that leaves has one deadline and one limit of unpacked bytes, whichever client sends it."""

import gzip
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import httpx
import pytest

import searchsocket
from searchsocket.errors import (
    ArtifactInvalid,
    ArtifactsUnavailable,
    BadVectors,
    EmbedderUnavailable,
    SearchSocketError,
    VectorBackendUnavailable,
)
from searchsocket.extensions.fleet.objects import web
from searchsocket.extensions.fleet.objects.base import read
from searchsocket.extensions.pinecone.connection import PineconeConnection
from searchsocket.models.embedders.openai import OpenAIEmbedder
from searchsocket.models.rerankers.base import RerankerUnavailable
from searchsocket.models.rerankers.jina import JinaReranker
from searchsocket.system.bounded_http import BodyLimit, at_most, bounded_client
from tests.system.dripping_server import HEAD, dripping_server

KEY = "sk-test-0123456789abcdef"
TIMEOUT_S = 0.3
BODY = HEAD + b"Content-Length: 100000\r\n\r\n" + b" " * 100_000
LARGE = b" " * 70_000_000
BOMB = gzip.compress(LARGE, 1)
PACKED = HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(BOMB) + BOMB
TWICE = HEAD + b"Content-Encoding: gzip, gzip\r\nConnection: close\r\n\r\n" + gzip.compress(BOMB)


def embed(url: str) -> None:
    OpenAIEmbedder("m", 8, KEY, base_url=url, timeout_s=TIMEOUT_S).embed(["text"], "passage")


def embed_in_time(url: str) -> None:
    OpenAIEmbedder("m", 8, KEY, base_url=url, timeout_s=60).embed(["text"], "passage")


def rerank(url: str, timeout_s: float = TIMEOUT_S) -> None:
    JinaReranker("m", KEY, base_url=url).rerank("query", ["text"], top_n=1, timeout_s=timeout_s)


def rerank_in_time(url: str) -> None:
    rerank(url, 60.0)


def read_artifact(url: str) -> None:
    read(web.WebObjects(url), "scopes/main.json", 1_000)


def list_indexes(url: str, timeout_s: float = TIMEOUT_S) -> None:
    connection = PineconeConnection(KEY, host=url, timeout_s=timeout_s, sleep=lambda _: None)
    connection.read(lambda: list(connection.indexes().list()))


def list_indexes_in_time(url: str) -> None:
    list_indexes(url, 60.0)


def query_index(url: str) -> None:
    connection = PineconeConnection(KEY, host=url, timeout_s=TIMEOUT_S, sleep=lambda _: None)
    connection.read(lambda: connection.data(url).describe_index_stats())


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (embed, EmbedderUnavailable),
        (rerank, RerankerUnavailable),
        (read_artifact, ArtifactsUnavailable),
        (list_indexes, VectorBackendUnavailable),
        (query_index, VectorBackendUnavailable),
    ],
)
@pytest.mark.parametrize("answer", [BODY, b"HTTP/1.1 200 " + b"x" * 100_000], ids=["body", "head"])
def test_a_server_that_drips_is_given_up(
    monkeypatch: pytest.MonkeyPatch, call: Callable[[str], None], kind: type[SearchSocketError], answer: bytes
) -> None:
    """It would take hours to send the answer; the pauses between its bytes are far below the limit."""
    monkeypatch.setattr(web, "_TIMEOUT_S", TIMEOUT_S)
    with dripping_server(answer, pause_s=0.05) as server, pytest.raises(kind):
        call(server.url)
    assert server.requests


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (embed_in_time, BadVectors),
        (rerank_in_time, RerankerUnavailable),
        (list_indexes_in_time, VectorBackendUnavailable),
    ],
)
@pytest.mark.parametrize("answer", [PACKED, TWICE], ids=["gzip", "gzip twice"])
def test_a_bomb_is_refused_before_it_is_unpacked(
    call: Callable[[str], None], kind: type[SearchSocketError], answer: bytes
) -> None:
    with dripping_server(answer) as server, pytest.raises(kind):
        call(server.url)


def test_an_artifact_is_not_unpacked_beyond_its_size() -> None:
    with dripping_server(PACKED) as server, pytest.raises(ArtifactInvalid, match=r"larger than 1,000 bytes"):
        read_artifact(server.url)


def test_a_body_is_refused_at_its_limit_and_not_after_it() -> None:
    with dripping_server(HEAD + b"Connection: close\r\n\r\n" + b"x" * 1_000) as server:
        client = bounded_client(10.0, 1_000)
        assert len(client.get(server.url).content) == 1_000
        with at_most(999), pytest.raises(BodyLimit, match="larger than 999 bytes"):
            client.get(server.url)


def test_a_large_file_may_take_longer_if_it_keeps_arriving() -> None:
    """A file needs more than the time of a request, at a rate above the least one."""
    answer = HEAD + b"Connection: close\r\n\r\n" + b"x" * 20
    with dripping_server(answer, pause_s=0.02) as server:
        patient = bounded_client(0.5, 1_000, least_bytes_per_s=10)
        assert patient.get(server.url).content == b"x" * 20
        with pytest.raises(httpx.TimeoutException):
            bounded_client(0.5, 1_000).get(server.url)


def test_a_proxy_of_the_environment_is_used_and_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    with dripping_server(BODY, pause_s=0.05) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        with closing(bounded_client(TIMEOUT_S, 1_000)) as client, pytest.raises(httpx.TimeoutException):
            client.get("http://site.example/page")
    assert proxy.requests[0].startswith(b"GET http://site.example/page ")


def test_no_other_module_makes_a_client_of_its_own() -> None:
    """A client that is not bounded would be held by a server that drips."""
    package = Path(searchsocket.__file__).parent
    makers = ("httpx.Client(", "httpx.get(", "httpx.post(", "httpx.stream(", "urlopen(", "AsyncClient(")
    texts = {path.relative_to(package).as_posix(): path.read_text("utf-8") for path in package.rglob("*.py")}
    assert {name for name, text in texts.items() for maker in makers if maker in text} == {
        "extensions/crawl/fetch.py",  # over a `BoundedTransport`
        "system/bounded_http.py",
    }
