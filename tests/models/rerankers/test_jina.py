"""Jina's reranker over a real socket: what it sends, what it believes, and what it says when that fails."""

import threading
from collections.abc import Callable, Iterator
from traceback import format_exception
from typing import Any

import pytest
from pydantic import ValidationError

from searchsocket.errors import ConfigError, ConfigMissing, SearchSocketError
from searchsocket.models.rerankers import make_reranker
from searchsocket.models.rerankers.base import BadRerankScores, Reranker, RerankerRefused, RerankerUnavailable
from searchsocket.models.rerankers.jina import JinaReranker
from searchsocket.project.settings.features import JinaSettings, RerankSettings
from tests.contract.reranker import RerankerContract
from tests.models.rerankers.jina_server import KEY, Reply, Server, serve

MODEL = "jina-reranker-v2-base-multilingual"
TEXTS = ["ropes and nets", "install the package", "install it"]


@pytest.fixture(scope="module")
def listening() -> Iterator[Server]:
    with serve() as server:
        yield server


@pytest.fixture
def server(listening: Server) -> Server:
    for records in (listening.replies, listening.requests, listening.keys):
        records.clear()
    listening.always, listening.tokens = Reply(), 0
    return listening


def configured(server: Server, **jina: str) -> Reranker:
    settings = RerankSettings(provider="jina", jina=JinaSettings(**{"base_url": server.url} | jina))
    return make_reranker(settings, {"JINA_API_KEY": KEY})


@pytest.fixture
def reranker(server: Server) -> Reranker:
    return configured(server)


class TestJinaReranker(RerankerContract):
    """Over the wire."""


def ask(reranker: Reranker, timeout_s: float = 20.0) -> tuple[float | None, ...]:
    return reranker.rerank("install the package", TEXTS, top_n=2, timeout_s=timeout_s).scores


def test_the_request_and_its_tokens(server: Server, reranker: Reranker) -> None:
    judgement = reranker.rerank("install the package", TEXTS, top_n=2, timeout_s=20)
    assert server.requests == [{"model": MODEL, "query": "install the package", "documents": TEXTS, "top_n": 2}]
    assert server.keys == [f"Bearer {KEY}"]
    assert judgement.scores[0] is None
    assert (judgement.scores[1] or 0) > (judgement.scores[2] or 0)
    assert judgement.tokens == server.tokens
    assert (reranker.model_id, reranker.price_per_million_tokens_usd) == (f"jina-{MODEL}", 0.05)


def test_the_vendor_alone_is_asked_not_to_send_texts_back() -> None:
    """Servers like it refuse what they do not know."""
    assert JinaReranker(MODEL, KEY)._body == {"model": MODEL, "return_documents": False}


def test_a_server_without_keys_needs_none(server: Server) -> None:
    assert ask(configured(server, api_key_env="", model="jina-reranker-v3"))
    assert server.keys == [None]


def test_tokens_are_an_estimate_where_none_or_nonsense_is_stated(server: Server, reranker: Reranker) -> None:
    """Cohere counts searches instead."""
    expected = reranker.count_tokens("install the package", TEXTS)
    for usage in (None, {}, {"total_tokens": -1}, {"total_tokens": 10**12}, {"total_tokens": "many"}):
        server.always = Reply(spoil=lambda answer, usage=usage: answer | {"usage": usage})  # type: ignore[misc]
        assert reranker.rerank("install the package", TEXTS, top_n=2, timeout_s=20).tokens == expected


def results(change: Callable[[list[dict[str, Any]]], Any]) -> Reply:
    return Reply(spoil=lambda answer: answer | {"results": change(answer["results"])})


@pytest.mark.parametrize(
    "reply",
    [
        results(lambda rows: rows[:1]),
        results(lambda rows: rows * 2),
        results(lambda rows: [row | {"index": 0} for row in rows]),
        results(lambda rows: [row | {"index": 3} for row in rows]),
        results(lambda rows: [row | {"index": -1} for row in rows]),
        results(lambda rows: [row | {"index": "0"} for row in rows]),
        results(lambda rows: [row | {"index": True} for row in rows]),
        results(lambda rows: [row | {"relevance_score": float("nan")} for row in rows]),
        results(lambda rows: [row | {"relevance_score": 1e999} for row in rows]),
        results(lambda rows: [row | {"relevance_score": "0.9"} for row in rows]),
        results(lambda rows: [row | {"relevance_score": None} for row in rows]),
        results(lambda rows: [1, 2]),
        results(lambda rows: "none"),
        Reply(body=b"<html>"),
        Reply(body=b"\xff\xfe"),
        Reply(body=b"[" * 60_000),
        Reply(body=["no object"]),
    ],
)
def test_impossible_scores_are_refused(server: Server, reranker: Reranker, reply: Reply) -> None:
    server.always = reply
    with pytest.raises(BadRerankScores):
        ask(reranker)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("reply", "kind", "words"),
    [
        (Reply(429, {"detail": f"slow down, {KEY}"}), RerankerUnavailable, r"429.*\[key\]"),
        (Reply(500, {"detail": "no"}), RerankerUnavailable, "500"),
        (Reply(503, b"busy"), RerankerUnavailable, "503: busy"),
        (Reply(302, b"", {"Location": "http://127.0.0.1:1/"}), RerankerRefused, "302"),
        (Reply(cut=True), RerankerUnavailable, "127.0.0.1 cannot be reached"),
        (Reply(body=b" " * 2_000_000), RerankerUnavailable, "larger than 1000000 bytes"),
        (Reply(401, {"detail": f"no such key {KEY}"}), RerankerRefused, "rejects the key"),
        (Reply(402, {"detail": KEY}), RerankerRefused, "no credit left"),
        (Reply(403, {"detail": "insufficient balance"}), RerankerRefused, "balance"),
        (Reply(400, {"detail": f"model not found for {KEY}"}), RerankerRefused, r"400.*for \[key\]"),
    ],
)
def test_every_failure_is_one_of_ours_and_tells_no_secret(
    server: Server, reranker: Reranker, reply: Reply, kind: type[SearchSocketError], words: str
) -> None:
    """Some servers repeat the key in what they say; and a redirect is followed nowhere."""
    server.always = reply
    with pytest.raises(kind, match=words) as raised:
        ask(reranker)
    assert KEY not in "".join(format_exception(raised.value))
    assert len(server.requests) == 1  # nobody waits for a second attempt


def test_the_pause_of_the_provider_is_passed_on(server: Server, reranker: Reranker) -> None:
    waits = []
    for retry_after in ("7", "Wed, 21 Oct 2026 07:28:00 GMT"):
        server.always = Reply(429, {}, {"Retry-After": retry_after})
        with pytest.raises(RerankerUnavailable) as raised:
            ask(reranker)
        waits.append(raised.value.retry_after_s)
    assert waits == [7.0, 0.0]  # a date of the past


@pytest.mark.parametrize("how", ["hang", "drip"])
def test_a_server_that_takes_its_time_is_given_up(server: Server, reranker: Reranker, how: str) -> None:
    """Also one that sends a byte now and then, which no limit for a packet would end."""
    never = threading.Event()
    server.always = Reply(**{how: never})
    with pytest.raises(RerankerUnavailable, match=r"within 0\.2 seconds"):
        ask(reranker, timeout_s=0.2)
    never.set()


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/v1", "http://no-such-host.invalid/v1"])
def test_nobody_listens(url: str) -> None:
    with pytest.raises(RerankerUnavailable, match="cannot be reached|did not answer"):
        ask(JinaReranker(MODEL, KEY, base_url=url))


@pytest.mark.parametrize(
    ("settings", "environ", "kind", "words"),
    [
        ({}, {}, ConfigMissing, r"\$JINA_API_KEY.*rerank.provider"),
        ({}, {"JINA_API_KEY": " "}, ConfigMissing, "JINA_API_KEY"),
        ({"api_key_env": "OTHER"}, {"JINA_API_KEY": KEY}, ConfigMissing, r"\$OTHER"),
        ({"model": "unheard-of"}, {"JINA_API_KEY": KEY}, ConfigError, "rerank.price_per_million_tokens_usd"),
        ({}, {"JINA_API_KEY": "two\nlines"}, ConfigError, "set it again"),
    ],
)
def test_missing_configuration_is_an_error_before_any_call(
    settings: dict[str, str], environ: dict[str, str], kind: type[SearchSocketError], words: str
) -> None:
    with pytest.raises(kind, match=words) as raised:
        make_reranker(RerankSettings(provider="jina", jina=JinaSettings(**settings)), environ)
    assert "two" not in str(raised.value)


@pytest.mark.parametrize("address", ["ftp://example.com", "https://"])
def test_an_address_that_is_no_web_address_is_refused_by_the_settings(address: str) -> None:
    with pytest.raises(ValidationError, match="base_url"):
        JinaSettings(base_url=address)


def test_no_representation_holds_the_key(reranker: Reranker) -> None:
    assert KEY not in repr(reranker)
