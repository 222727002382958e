"""The OpenAI embedder over a real socket: what it sends, what it believes, and what it says when that fails."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from traceback import format_exception
from typing import Any

import numpy as np
import pytest

from searchsocket.errors import (
    BadVectors,
    ConfigError,
    ConfigMissing,
    EmbedderRefused,
    EmbedderUnavailable,
    SearchSocketError,
)
from searchsocket.models.embedders import make_embedder, resolved_provider
from searchsocket.models.embedders.base import Charging, Embedder, Paced
from searchsocket.models.embedders.hash import HashEmbedder
from searchsocket.models.embedders.openai import OpenAIEmbedder
from searchsocket.project.settings.model import EmbeddingSettings
from searchsocket.system.retry_after import retry_after_s
from searchsocket.testing.embedder import EmbedderContract
from tests.models.embedders.openai_server import (
    DIMENSIONS,
    KEY,
    Reply,
    Server,
    error,
    serve,
    vectors_json,
    with_vectors,
)

MODEL = "text-embedding-3-small"


@pytest.fixture(scope="module")
def listening() -> Iterator[Server]:
    with serve() as server:
        yield server


@pytest.fixture
def server(listening: Server) -> Server:
    listening.replies.clear()
    listening.requests.clear()
    listening.always = Reply()
    return listening


def configured(server: Server, **settings: object) -> Embedder:
    fields = {"provider": "openai", "base_url": server.url, "dimensions": DIMENSIONS} | settings
    return make_embedder(EmbeddingSettings(**fields), {"OPENAI_API_KEY": KEY})  # type: ignore[arg-type]


@pytest.fixture
def embedder(server: Server) -> Embedder:
    return configured(server)


class TestOpenAIEmbedder(EmbedderContract):
    """Over the wire."""


def test_the_request(server: Server, embedder: Embedder) -> None:
    embedder.embed(["a", "b"], "passage")
    assert server.requests == [
        {"input": ["a", "b"], "model": MODEL, "encoding_format": "base64", "dimensions": DIMENSIONS}
    ]
    assert server.keys == {f"Bearer {KEY}"}
    assert embedder.model_id == f"openai-{MODEL}-{DIMENSIONS}"
    assert embedder.price_per_million_tokens_usd == 0.02


def test_the_models_own_size_is_not_asked_for(server: Server) -> None:
    """Servers of other models refuse a key that they do not know."""
    configured(server, model="bge-small", price_per_million_tokens_usd=0.0).embed(["a"], "passage")
    assert server.requests[0].keys() == {"input", "model", "encoding_format"}


def test_a_server_that_gives_lists_of_numbers_is_understood(server: Server, embedder: Embedder) -> None:
    def as_numbers(answer: dict[str, object]) -> dict[str, object]:

        return vectors_json(["a", "b"], as_base64=False)

    server.always = Reply(spoil=as_numbers)
    assert np.array_equal(embedder.embed(["a", "b"], "passage"), HashEmbedder().embed(["a", "b"], "passage"))


def test_azure_is_asked_at_its_v1_address(server: Server) -> None:
    """`https://NAME.openai.azure.com/openai/v1/`: the model is the deployment, and the key goes as a bearer."""
    server.keys.clear()
    server.paths.clear()
    address = server.url.removesuffix("/v1") + "/openai/v1/"
    configured(server, base_url=address).embed(["a"], "passage")
    assert (server.paths, server.keys) == (["/openai/v1/embeddings"], {f"Bearer {KEY}"})


@pytest.mark.parametrize("end", ["/openai/deployments/small?api-version=2024-02-01", "/v1#models"])
def test_an_address_with_a_query_is_refused(server: Server, end: str) -> None:
    """Failure: the path of the request was joined to the query, and Azure answered 404."""
    with pytest.raises(ConfigError, match=r"embeddings.base_url .* https://NAME.openai.azure.com/openai/v1"):
        configured(server, base_url=server.url.removesuffix("/v1") + end)


@pytest.mark.parametrize("key", ["sk-two\nlines", "sk-ünïcode"])
def test_a_key_that_no_header_can_contain_is_named_by_its_variable(server: Server, key: str) -> None:
    settings = EmbeddingSettings(provider="openai", base_url=server.url, dimensions=DIMENSIONS)
    with pytest.raises(ConfigError, match=r"invalid characters; set a key .* in \$OPENAI_API_KEY") as failure:
        make_embedder(settings, {"OPENAI_API_KEY": key})
    assert key not in str(failure.value)


@pytest.mark.parametrize(
    "answer",
    [{"error": "the model is still being pulled"}, {"error": {"message": "the model is still being pulled"}}],
    ids=["text", "object"],
)
def test_the_reason_of_a_refusal_that_has_status_200_is_shown(
    server: Server, embedder: Embedder, answer: dict[str, object]
) -> None:
    server.always = Reply(spoil=lambda _: answer)
    with pytest.raises(BadVectors, match=r"did not answer with embeddings \(the model is still being pulled\)"):
        embedder.embed(["a"], "passage")


def test_ollama_is_asked_at_its_v1_address(server: Server) -> None:
    """Without a key; it takes no `dimensions`, and gives lists of numbers whatever was asked for."""
    server.paths.clear()

    def as_ollama(answer: dict[str, Any]) -> dict[str, Any]:
        return vectors_json(["a"], as_base64=False) | {"usage": {"prompt_tokens": 2, "total_tokens": 2}}

    server.always = Reply(spoil=as_ollama)
    settings = {"model": "nomic-embed-text", "api_key_env": "", "price_per_million_tokens_usd": 0.0}
    embedder = make_embedder(
        EmbeddingSettings(provider="openai", base_url=f"{server.url}/", dimensions=DIMENSIONS, **settings), {}
    )  # type: ignore[arg-type]
    assert np.array_equal(embedder.embed(["a"], "query"), HashEmbedder().embed(["a"], "query"))
    assert server.paths == ["/v1/embeddings"]
    assert server.requests[0].keys() == {"input", "model", "encoding_format"}


def test_answers_may_come_in_any_order(server: Server, embedder: Embedder) -> None:
    """Failure 43: vectors that were swapped were stored under each other's text."""
    server.always = Reply(spoil=lambda answer: answer | {"data": answer["data"][::-1]})
    texts = [f"text {n}" for n in range(5)]
    assert np.array_equal(embedder.embed(texts, "passage"), HashEmbedder().embed(texts, "passage"))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda answer: answer | {"data": answer["data"][:-1]},
        lambda answer: answer | {"data": [*answer["data"], answer["data"][0] | {"index": 2}]},
        lambda answer: answer | {"data": [item | {"index": 0} for item in answer["data"]]},
        with_vectors(lambda row: row * np.nan),
        with_vectors(lambda row: row * 0),
        with_vectors(lambda row: row * 2),
        with_vectors(lambda row: row[:-1]),
        lambda answer: {"data": "none"},
        lambda answer: ["no object"],
        lambda answer: {"data": [{"index": 0, "embedding": "no base64!"}, {"index": 1, "embedding": None}]},
    ],
)
def test_impossible_vectors_are_refused(server: Server, embedder: Embedder, spoil: object) -> None:
    server.always = Reply(spoil=spoil)  # type: ignore[arg-type]
    with np.errstate(invalid="ignore"), pytest.raises(BadVectors):
        embedder.embed(["a", "b"], "passage")
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("reply", "kind", "words"),
    [
        (error(429, "rate_limit_exceeded", Retry_After="7"), EmbedderUnavailable, "429 rate_limit_exceeded"),
        (error(500, "server_error"), EmbedderUnavailable, "500"),
        (error(503, "overloaded"), EmbedderUnavailable, "503"),
        (Reply(cut=True), EmbedderUnavailable, "127.0.0.1 cannot be reached"),
        (error(429, "insufficient_quota"), EmbedderRefused, "no credit left"),
        (error(401, "invalid_api_key", f"Incorrect API key provided: {KEY}"), EmbedderRefused, "rejects the key"),
        (error(403, "denied", f"not with {KEY}"), EmbedderRefused, "rejects the key"),
        (error(404, "model_not_found", f"no such model for {KEY}"), EmbedderRefused, r"404 .*for \[key\]"),
        (error(400, "bad_request"), EmbedderRefused, "400 bad_request"),
    ],
)
def test_every_failure_is_one_of_ours_and_tells_no_secret(
    server: Server, embedder: Embedder, reply: Reply, kind: type[SearchSocketError], words: str
) -> None:
    """Some servers repeat the key in what they say."""
    server.always = reply
    with pytest.raises(kind, match=words) as raised:
        embedder.embed(["a"], "passage")
    assert KEY not in "".join(format_exception(raised.value))
    # The caller decides if it tries again; a server that does not know base64 answers 400 too.
    assert len(server.requests) == (2 if reply.status == 400 else 1)


def test_the_pause_of_the_provider_is_passed_on(server: Server, embedder: Embedder) -> None:
    waits = []
    for headers in ({"Retry_After": "7"}, {"retry_after_ms": "250"}, {"Retry_After": "soon"}):
        server.always = error(429, "rate_limit_exceeded", **headers)
        with pytest.raises(EmbedderUnavailable) as raised:
            embedder.embed(["a"], "passage")
        waits.append(raised.value.retry_after_s)
    assert waits == [7.0, 0.25, None]


def test_a_pause_may_be_a_date_of_the_providers_clock() -> None:
    headers = {"retry-after": "Wed, 21 Oct 2026 07:28:30 GMT", "date": "Wed, 21 Oct 2026 07:28:00 GMT"}
    assert retry_after_s(headers) == 30.0
    assert retry_after_s({"retry-after": headers["retry-after"]}) is None


def test_the_remaining_quota_of_the_provider_is_respected(server: Server, embedder: Embedder) -> None:
    """Its headers say that 100 of 1,000 tokens are left, and that the 900 come back within nine seconds."""
    names = {"limit": "1000", "remaining": "100", "reset": "9s"}
    server.always = Reply(headers={f"x-ratelimit-{name}-tokens": text for name, text in names.items()})
    assert isinstance(embedder, Paced)
    assert embedder.wait_s(10**6) == 0.0  # nothing is known yet
    embedder.embed(["a"], "passage")
    assert embedder.wait_s(50) == 0.0
    assert 1.0 < embedder.wait_s(200) <= 1.5
    assert 9.0 < embedder.wait_s(10**6) <= 9.5  # more than it ever takes at once: when all of it is back


def test_the_charge_is_that_of_the_answers(server: Server, embedder: Embedder) -> None:
    """Also of those whose vectors are of no use: they were paid for."""
    assert isinstance(embedder, Charging)
    server.always = Reply(spoil=with_vectors(lambda row: row * 0))
    with pytest.raises(BadVectors):
        embedder.embed(["three words here"], "passage")
    server.always = Reply()
    embedder.embed(["one"], "passage")
    assert (embedder.charged_tokens(), embedder.charged_tokens()) == (4 + 2, 0)
    server.always = Reply(spoil=lambda answer: {"data": answer["data"]})
    embedder.embed(["x" * 40], "passage")
    assert embedder.charged_tokens() == 10  # estimated, where nothing is said
    for absurd in (10**15, -5, True, "7"):
        server.always = Reply(spoil=lambda answer, usage=absurd: {**answer, "usage": {"total_tokens": usage}})
        embedder.embed(["x" * 40], "passage")
        assert embedder.charged_tokens() == 10


def test_a_server_that_hangs_is_given_up(server: Server) -> None:
    never = threading.Event()
    server.always = Reply(hang=never)
    embedder = OpenAIEmbedder(MODEL, DIMENSIONS, KEY, base_url=server.url, timeout_s=0.2)
    with pytest.raises(EmbedderUnavailable, match=r"within 0\.2 seconds"):
        embedder.embed(["a"], "passage")
    never.set()


def test_nobody_listens() -> None:
    embedder = OpenAIEmbedder(MODEL, DIMENSIONS, KEY, base_url="http://127.0.0.1:1/v1")
    with pytest.raises(EmbedderUnavailable, match="cannot be reached"):
        embedder.embed(["a"], "passage")


def test_a_long_text_is_cut_where_the_model_surely_takes_it(server: Server, embedder: Embedder) -> None:
    """At 8,192 tokens of its vocabulary; at 8,192 bytes where that is not known, since a token is a byte at least."""
    embedder.embed(["word " * 10_000], "passage")
    assert server.requests[0]["input"] == ["word " * 8_191 + "word"]
    assert embedder.count_tokens("word " * 10_000) == embedder.limits.tokens_a_text == 8_192
    other = configured(server, model="bge-small", price_per_million_tokens_usd=0.0)
    other.embed(["é" * 10_000], "passage")
    assert server.requests[1]["input"] == ["é" * 4096]
    assert other.count_tokens("é" * 10_000) == other.limits.tokens_a_text


@pytest.mark.parametrize(
    ("settings", "environ", "kind", "words"),
    [
        ({}, {}, ConfigMissing, "OPENAI_API_KEY.*EMBEDDINGS_PROVIDER=local searchsocket index --force"),
        ({}, {"OPENAI_API_KEY": " "}, ConfigMissing, "OPENAI_API_KEY"),
        ({"api_key_env": "OTHER"}, {"OPENAI_API_KEY": KEY}, ConfigMissing, r"\$OTHER"),
        ({"model": "unheard-of"}, {"OPENAI_API_KEY": KEY}, ConfigError, "embeddings.dimensions"),
        ({"model": "unheard-of", "dimensions": 8}, {"OPENAI_API_KEY": KEY}, ConfigError, "price_per_million"),
    ],
)
def test_missing_configuration_is_an_error_before_any_call(
    settings: dict[str, object], environ: dict[str, str], kind: type[SearchSocketError], words: str
) -> None:
    with pytest.raises(kind, match=words):
        make_embedder(EmbeddingSettings(provider="openai", **settings), environ)  # type: ignore[arg-type]


def test_the_usual_variable_stands_above_the_one_that_is_named(server: Server) -> None:
    server.keys.clear()
    settings = EmbeddingSettings(provider="openai", base_url=server.url, dimensions=DIMENSIONS)
    for environ in ({"EMBEDDINGS_API_KEY": "sk-own"}, {"EMBEDDINGS_API_KEY": "sk-own", "OPENAI_API_KEY": "sk-other"}):
        make_embedder(settings, environ).embed(["a"], "passage")
    assert server.keys == {"Bearer sk-own"}
    assert resolved_provider(EmbeddingSettings(provider="auto"), {"EMBEDDINGS_API_KEY": "sk-own"}, "") == "openai"


def test_a_server_without_keys_needs_none(server: Server) -> None:
    settings = EmbeddingSettings(
        provider="openai", base_url=server.url, model="m", dimensions=DIMENSIONS, api_key_env="",
        price_per_million_tokens_usd=0.0,
    )  # fmt: skip
    assert make_embedder(settings, {}).embed(["a"], "query").shape == (1, DIMENSIONS)


def test_no_representation_holds_the_key(embedder: Embedder) -> None:
    assert KEY not in repr(embedder)
    assert KEY not in repr(vars(embedder))


def floats_only(body: dict[str, Any]) -> Reply | None:
    refusal = Reply(400, {"error": {"message": "base64 encoding is not currently supported", "code": 400}})
    return refusal if body["encoding_format"] == "base64" else None


@pytest.mark.parametrize("status", [400, 422])
def test_a_server_without_base64_is_asked_for_numbers(server: Server, embedder: Embedder, status: int) -> None:
    """Once it is known, each text takes one request."""
    expected = HashEmbedder().embed(["a", "b"], "passage")
    server.judge = lambda body: replace(refusal, status=status) if (refusal := floats_only(body)) else None
    try:
        assert np.allclose(embedder.embed(["a", "b"], "passage"), expected)
        embedder.embed(["c"], "passage")
    finally:
        server.judge = lambda body: None
    assert [request["encoding_format"] for request in server.requests] == ["base64", "float", "float"]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"detail": "at most 250 inputs"}, "at most 250 inputs"),
        ({"detail": [{"loc": ["body", "input"], "msg": "too short", "type": "x"}]}, "body.input: too short"),
        ({"error": "model is not loaded"}, "model is not loaded"),
        ({"error": {"message": "no such model", "code": "x"}}, "no such model"),
        ({"message": "bad input"}, "bad input"),
        ({"errors": [{"message": "first"}, {"message": "second"}]}, "first; second"),
        ([{"error": {"message": "in a list"}}], "in a list"),
        (b"plain words", "plain words"),
        ({"detail": {"error": {"message": "deep"}}}, "deep"),
        ({"code": 7}, '{"code": 7}'),
        ([], "[]"),
    ],
)
def test_the_reason_of_a_refusal_reaches_the_message(server: Server, body: Any, reason: str) -> None:
    server.always = Reply(404, body)
    with pytest.raises(EmbedderRefused) as failure:
        configured(server).embed(["a"], "passage")
    assert f": {reason}; fix embeddings.model" in str(failure.value)


def test_vectors_without_positions_are_in_the_order_of_the_texts(server: Server, embedder: Embedder) -> None:
    def without_positions(answer: dict[str, Any]) -> dict[str, Any]:
        return {**answer, "data": [{"embedding": item["embedding"]} for item in answer["data"]]}

    server.replies.append(Reply(spoil=without_positions))
    assert np.allclose(embedder.embed(["a", "b"], "passage"), HashEmbedder().embed(["a", "b"], "passage"))


def test_a_smaller_context_is_stated(server: Server) -> None:
    text = "word " * 400
    configured(server, model="small", price_per_million_tokens_usd=0.0, max_tokens=100).embed([text], "passage")
    configured(server, max_tokens=100).embed([text], "passage")
    guessed, counted = (request["input"][0] for request in server.requests)
    assert guessed == text[:300]
    assert len(counted.split()) in (60, 99, 100)  # with the vocabulary, or three bytes for each token
