"""A text that the provider refuses costs that text alone (spec 11.1); an outage or a wrong model ends the run."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.content.chunking.records import content_hash
from searchsocket.errors import EmbedderRefused, TextsRefused
from searchsocket.models.embedders.base import Limits, TextKind, bad_rows
from searchsocket.models.embedders.batch import embed_missing
from searchsocket.models.embedders.cache import EmbeddingCache
from searchsocket.models.embedders.hash import HashEmbedder
from searchsocket.models.embedders.openai import OpenAIEmbedder
from searchsocket.models.embedders.refused_texts import PatientEmbedder, placeholder
from searchsocket.models.paying.bill import EmbedOutcome
from searchsocket.types import Vectors
from tests.models.embedders.openai_server import DIMENSIONS, KEY, Reply, Server, error, serve
from tests.models.embedders.passing import Fake

SHORT = [f"text number {number} of the site" for number in range(34)]
LONG = "one row of a long table, " * 80  # 2,000 characters
Judge = Callable[[dict[str, Any]], Reply | None]


@dataclass(frozen=True)
class Item:
    content_hash: str
    tokens: int
    position: int


@pytest.fixture(scope="module")
def listening() -> Iterator[Server]:
    with serve() as server:
        yield server


@pytest.fixture
def server(listening: Server) -> Server:
    listening.requests.clear()
    listening.paid.clear()
    listening.replies.clear()
    listening.judge = lambda body: None
    return listening


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[EmbeddingCache]:
    with EmbeddingCache(tmp_path / "embeddings.db") as opened:
        yield opened


def embed(cache: EmbeddingCache, server: Server, *texts: str, judge: Judge, batch_size: int = 64) -> EmbedOutcome:
    server.judge = judge
    embedder = OpenAIEmbedder("small", DIMENSIONS, KEY, base_url=server.url)
    items = [Item(content_hash(text), len(text.split()), position) for position, text in enumerate(texts)]
    return embed_missing(
        cache, embedder, items, lambda positions: [texts[at] for at in positions],
        batch_size=batch_size, concurrency=2, passing=Fake().time,
    )  # fmt: skip


def vector_of(cache: EmbeddingCache, text: str) -> np.ndarray:
    row: np.ndarray = cache.get([content_hash(text)], f"openai-small-{DIMENSIONS}")[0]
    return row


def too_long(most: int, message: str = "the input length exceeds the context length") -> Judge:
    return lambda body: error(400, "api_error", message) if max(map(len, body["input"])) > most else None


def forbidden(word: str, status: int = 400) -> Judge:
    message = "'$.input' is invalid. Please check the API reference"
    return lambda body: error(status, "bad", message) if any(word in text for text in body["input"]) else None


def test_a_text_that_is_too_long_is_cut_to_what_the_server_takes(cache: EmbeddingCache, server: Server) -> None:
    outcome = embed(cache, server, *SHORT, LONG, judge=too_long(1_500))
    assert (outcome.created, outcome.refused) == (35, ())
    [cut] = outcome.cut
    assert (cut.position, cut.reason) == (34, "the input length exceeds the context length")
    longest_text = max(server.paid, key=len)
    assert LONG.startswith(longest_text)
    assert 1_300 < len(longest_text) <= 1_500
    assert np.allclose(vector_of(cache, LONG), HashEmbedder().embed([longest_text], "passage")[0], atol=1e-3)
    assert sorted(text for text in server.paid if text in SHORT) == sorted(SHORT)  # each paid for once
    assert len(server.requests) < 20


def test_the_maximum_in_the_answer_saves_attempts(cache: EmbeddingCache, server: Server) -> None:
    message = "This model's maximum context length is 400 tokens, however you requested 533 tokens"
    embed(cache, server, LONG, judge=too_long(1_500, message))
    assert len(server.requests) <= 4
    assert len(max(server.paid, key=len)) > 1_400


def test_many_texts_that_are_too_long_take_few_requests_each(cache: EmbeddingCache, server: Server) -> None:
    """The first one shows the length from which a text is sent alone."""
    long = [f"{number} {LONG}" for number in range(30)]
    outcome = embed(cache, server, *SHORT, *long, judge=too_long(1_500))
    assert len(outcome.cut) == 30
    assert len(server.requests) < 30 * 6


def test_a_server_that_fails_on_large_requests_gets_smaller_ones(cache: EmbeddingCache, server: Server) -> None:
    """Some local servers answer 500 to a batch beyond their memory; each attempt sends half as many texts."""
    outcome = embed(
        cache, server, *SHORT, judge=lambda body: error(500, "bad", "no memory") if len(body["input"]) > 8 else None
    )
    assert (outcome.created, outcome.refused) == (len(SHORT), ())
    assert sorted(server.paid) == sorted(SHORT)  # each paid for once
    assert len(server.requests) < 20


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_forbidden_text_is_left_out_and_the_rest_is_kept(cache: EmbeddingCache, server: Server, status: int) -> None:
    texts = [*SHORT[:20], "poison " * 40, *SHORT[20:]]
    outcome = embed(cache, server, *texts, judge=forbidden("poison", status))
    [refused] = outcome.refused
    assert (refused.position, refused.is_cut, outcome.created) == (20, False, 34)
    assert "'$.input' is invalid" in refused.reason
    assert np.array_equal(vector_of(cache, texts[20]), placeholder(DIMENSIONS))
    assert sorted(text for text in server.paid if text in SHORT) == sorted(SHORT)


def test_a_refusal_is_remembered_until_it_is_forgotten(cache: EmbeddingCache, server: Server) -> None:
    """A text that the server refuses does not cost requests in every run."""
    texts = [*SHORT, "poison"]
    embed(cache, server, *texts, judge=forbidden("poison"))
    server.requests.clear()
    again = embed(cache, server, *texts, judge=forbidden("poison"))
    assert (server.requests, again.created, len(again.refused)) == ([], 0, 1)
    cache.forget_refused(map(content_hash, texts), f"openai-small-{DIMENSIONS}")
    accepted = embed(cache, server, *texts, judge=lambda body: None)
    assert (accepted.created, accepted.refused) == (1, ())
    assert not np.array_equal(vector_of(cache, "poison"), placeholder(DIMENSIONS))


def test_a_server_that_refuses_everything_ends_the_run_with_its_reason(cache: EmbeddingCache, server: Server) -> None:
    with pytest.raises(
        EmbedderRefused, match="answers 400 no_model: model 'small' does not exist; fix embeddings.model"
    ):
        embed(cache, server, *SHORT, judge=lambda body: error(400, "no_model", "model 'small' does not exist"))
    assert len(server.requests) <= 8
    assert cache.missing(map(content_hash, SHORT), f"openai-small-{DIMENSIONS}") == [*map(content_hash, SHORT)]


def test_a_server_that_begins_to_refuse_everything_ends_the_run(cache: EmbeddingCache, server: Server) -> None:
    """The answers up to then are kept."""
    count = iter(range(1_000))
    texts = [f"{number} of many" for number in range(400)]
    with pytest.raises(EmbedderRefused, match="unloaded"):
        embed(
            cache, server, *texts, judge=lambda _: error(422, "", "unloaded") if next(count) > 4 else None, batch_size=8
        )
    assert len(server.requests) < 60
    assert len(cache.missing(map(content_hash, texts), f"openai-small-{DIMENSIONS}")) < 400


@pytest.mark.parametrize("status", [401, 403, 404])
def test_other_refusals_are_of_the_run(cache: EmbeddingCache, server: Server, status: int) -> None:
    with pytest.raises(EmbedderRefused) as failure:
        embed(cache, server, *SHORT, judge=lambda body: error(status, "no"))
    assert not isinstance(failure.value, TextsRefused)
    assert len(server.requests) == 1


def test_a_request_with_too_many_texts_is_halved(cache: EmbeddingCache, server: Server) -> None:
    reply = Reply(400, {"detail": "batch size is invalid, it should not be larger than 20"})
    texts = [f"{number} of many" for number in range(200)]
    outcome = embed(cache, server, *texts, judge=lambda body: reply if len(body["input"]) > 20 else None)
    assert (outcome.created, outcome.cut, outcome.refused) == (200, (), ())
    assert sorted(set(server.paid) - {"word"}) == sorted(texts)
    assert len(server.requests) < 40


def test_texts_are_not_paid_for_again_when_their_batch_is_retried(cache: EmbeddingCache, server: Server) -> None:
    count = iter(range(1_000))

    def judge(body: dict[str, Any]) -> Reply | None:
        return error(429, "slow_down") if next(count) == 6 else forbidden("poison")(body)

    embed(cache, server, *SHORT, "poison", judge=judge)
    assert sorted(text for text in server.paid if text in SHORT) == sorted(SHORT)


class ForbiddingEmbedder(HashEmbedder):
    """Refuses texts with a word, as a provider with rules on content does."""

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        if any("forbidden" in text for text in texts):
            raise TextsRefused("not allowed")
        return super().embed(texts, kind)


def test_every_refused_text_is_counted(cache: EmbeddingCache) -> None:
    """A run with more than one refused text in a hundred fails, however many they are."""
    texts = [f"{'forbidden' if number % 2 else 'plain'} text {number}" for number in range(2_400)]
    items = [Item(content_hash(text), 3, position) for position, text in enumerate(texts)]
    first, second = (
        embed_missing(cache, ForbiddingEmbedder(), items, lambda at: [texts[item] for item in at], batch_size=64)
        for _ in range(2)
    )
    assert (first.created, len(first.refused)) == (1_200, 1_200)
    assert (second.created, len(second.refused)) == (0, 1_200)


@dataclass
class StrictEmbedder:
    """Refuses some texts, and requests of too many."""

    refused: frozenset[str]
    most: int
    model_id = "strict-8"
    dimensions = 8
    limits = Limits()

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        if len(texts) > self.most or any(text[:4] in self.refused for text in texts):
            raise TextsRefused("no")
        rows = np.zeros((len(texts), 8), dtype=np.float32)
        rows[np.arange(len(texts)), [_number(text) % 8 for text in texts]] = 1
        return rows


def _number(text: str) -> int:
    return int(text[:3]) if text[:3].isdigit() else 0


@dataclass(frozen=True)
class Text:
    key: str
    position: int
    text: str


@given(st.sets(st.integers(0, 99)), st.integers(1, 40), st.integers(1, 60))
def test_exactly_the_refused_texts_have_no_vector(refused: set[int], most: int, size: int) -> None:
    texts = [Text(str(number), number, f"{number:03} text") for number in range(100)]
    embedder = StrictEmbedder(frozenset(f"{number:03} " for number in refused), most)
    patient = PatientEmbedder(embedder)  # type: ignore[arg-type]
    rows = np.concatenate([patient.embed(texts[start : start + size]) for start in range(0, 100, size)])
    assert {text.position for text in patient.refused} == refused
    for number, row in enumerate(rows):
        expected = placeholder(8) if number in refused else np.eye(8, dtype=np.float32)[number % 8]
        assert np.array_equal(row, expected)


@pytest.mark.parametrize("dimensions", [1, 8, 256, 384, 1536, 3072])
def test_the_vector_of_texts_that_are_left_out_is_valid_and_near_no_text(dimensions: int) -> None:
    """A zero vector is refused by every store."""
    assert not bad_rows(placeholder(dimensions)[None]).size
    if dimensions >= 256:
        texts = np.random.default_rng(7).normal(size=(500, dimensions)) + 0.3  # texts of real models share a direction
        cosines = texts @ placeholder(dimensions) / np.linalg.norm(texts, axis=1)
        assert np.abs(cosines).max() < 0.3
