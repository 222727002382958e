"""Embedding what is missing: the plan, the budget, retries and resumption (spec 10.5, 11, 21)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from searchsocket.content.chunking.records import content_hash
from searchsocket.errors import BadVectors, BudgetExceeded, ConfigError, EmbedderUnavailable
from searchsocket.models.embedders.base import Limits, TextKind
from searchsocket.models.embedders.batch import embed_missing
from searchsocket.models.embedders.cache import EmbeddingCache
from searchsocket.models.paying.bill import EmbedOutcome, plan_missing
from searchsocket.models.paying.cost import Budget
from searchsocket.types import Vectors
from tests.models.embedders.passing import Fake


class FakeEmbedder:
    """One-hot by text length; counts its calls, and fails as told."""

    model_id = "fake"
    dimensions = 8
    limits = Limits()
    tolerance = 0.0
    price_per_million_tokens_usd = 1_000_000.0  # a dollar a token
    is_instant = True
    is_remote = False

    def __init__(self, failures: Sequence[Exception] = ()) -> None:
        self.calls: list[list[str]] = []
        self.failures = list(failures)
        self.spoil: Callable[[Vectors], Vectors] = lambda rows: rows

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        self.calls.append(list(texts))
        if self.failures:
            raise self.failures.pop(0)
        rows = np.zeros((len(texts), 8), dtype=np.float32)
        rows[np.arange(len(texts)), [len(text) % 8 for text in texts]] = 1
        return self.spoil(rows)

    def count_tokens(self, text: str) -> int:
        return len(text.split())


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[EmbeddingCache]:
    with EmbeddingCache(tmp_path / "embeddings.db") as opened:
        yield opened


@dataclass(frozen=True)
class Item:
    content_hash: str
    tokens: int
    position: int


def items(*texts: str) -> list[Item]:
    return [Item(content_hash(text), len(text.split()), position) for position, text in enumerate(texts)]


def run(cache: EmbeddingCache, embedder: FakeEmbedder, *texts: str, **options: object) -> EmbedOutcome:
    return embed_missing(
        cache,
        embedder,
        items(*texts),
        lambda positions: [texts[position] for position in positions],
        **{"batch_size": 2, "passing": Fake().time} | options,  # type: ignore[arg-type]
    )


def test_each_distinct_text_is_embedded_once_ever(cache: EmbeddingCache) -> None:
    embedder = FakeEmbedder()
    first, second = run(cache, embedder, "a b", "c", "a b"), run(cache, embedder, "c", "d e f", "a b")
    assert first == EmbedOutcome(reused=0, created=2, tokens=3, cost_usd=3.0, charged_tokens=3, charged_usd=3.0)
    assert second == EmbedOutcome(reused=2, created=1, tokens=3, cost_usd=3.0, charged_tokens=3, charged_usd=3.0)
    assert sorted(text for call in embedder.calls for text in call) == ["a b", "c", "d e f"]


def test_vectors_belong_to_their_texts_in_whatever_order_they_were_batched(cache: EmbeddingCache) -> None:
    texts = ["x" * n for n in (7, 1, 5, 3, 2, 6, 4)]
    run(cache, FakeEmbedder(), *texts)
    rows = cache.get([content_hash(text) for text in texts], "fake")
    assert rows.argmax(axis=1).tolist() == [7, 1, 5, 3, 2, 6, 4]


def test_over_the_budget_nothing_is_called(cache: EmbeddingCache) -> None:
    embedder = FakeEmbedder()
    with pytest.raises(BudgetExceeded, match=r"\$3\.0000"):
        run(cache, embedder, "a b", "c", budget=Budget(run_usd=2.99))
    assert embedder.calls == []
    assert run(cache, embedder, "a b", "c", budget=Budget(run_usd=3.0)).created == 2


def test_the_plan_knows_what_is_cached(cache: EmbeddingCache) -> None:
    run(cache, FakeEmbedder(), "a b", "c")
    assert plan_missing(cache, FakeEmbedder(), items("c", "d e f")) == EmbedOutcome(1, 1, 3, 3.0)


def test_texts_are_read_by_rising_position(cache: EmbeddingCache) -> None:
    """Reading records in the order of their hashes is reading a disk in random order."""
    requests: list[int] = []
    texts = {position: f"text {position}" for position in range(50)}
    expected = sorted(
        (Item(content_hash(text), 2, position) for position, text in texts.items()), key=lambda i: i.content_hash
    )
    embed_missing(
        cache,
        FakeEmbedder(),
        expected,
        lambda positions: [requests.append(p) or texts[p] for p in positions],
        batch_size=2,
    )
    assert requests == sorted(texts)


def test_cached_texts_cost_nothing(cache: EmbeddingCache) -> None:
    run(cache, FakeEmbedder(), "a b", "c")
    assert run(cache, FakeEmbedder(), "a b", "c", budget=Budget(run_usd=0.0)).cost_usd == 0.0


def test_a_configured_price_counts(cache: EmbeddingCache) -> None:
    assert run(cache, FakeEmbedder(), "a b", price_per_million_tokens_usd=500_000.0).cost_usd == 1.0


def test_the_plan_says_what_the_run_then_does(cache: EmbeddingCache) -> None:
    embedder = FakeEmbedder()
    planned = plan_missing(cache, embedder, items("a b", "c", "c"))
    assert embedder.calls == []
    result = run(cache, embedder, "a b", "c", "c")
    assert planned == replace(result, charged_tokens=0, charged_usd=0.0)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda rows: rows[:-1], "shape"),  # failure 43: a short answer was silently misassigned
        (lambda rows: rows[:, :4], "shape"),  # failure 41
        (lambda rows: rows * 0, "zero"),
        (lambda rows: rows * 2, "unit"),
        (lambda rows: rows * np.nan, "finite"),
        (lambda rows: rows * np.inf, "finite"),
        (lambda rows: rows[0], "shape"),
    ],
)
def test_vectors_that_cannot_be_right_are_never_stored(
    cache: EmbeddingCache, spoil: Callable[[Vectors], Vectors], words: str
) -> None:
    embedder = FakeEmbedder()
    embedder.spoil = spoil
    with np.errstate(invalid="ignore"), pytest.raises(BadVectors, match=words):
        run(cache, embedder, "a", "bb")
    assert cache.models() == []
    assert len(embedder.calls) == 1  # asking again would cost again


def test_a_killed_run_resumes_behind_its_last_batch(cache: EmbeddingCache) -> None:
    texts = [f"text number {n}" for n in range(7)]

    def die(count: int, total: int) -> None:
        if count == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(cache, FakeEmbedder(), *texts, on_progress=die)
    again = run(cache, FakeEmbedder(), *texts)
    assert (again.reused, again.created) == (4, 3)


def test_progress_counts_up_to_what_was_planned(cache: EmbeddingCache) -> None:
    progress: list[tuple[int, int]] = []
    run(cache, FakeEmbedder(), "a", "b", "c", on_progress=lambda result, total: progress.append((result, total)))
    assert progress == [(2, 3), (3, 3)]


def test_an_outage_is_waited_out(cache: EmbeddingCache) -> None:
    passing = Fake()
    embedder = FakeEmbedder([EmbedderUnavailable("busy")] * 3)
    assert run(cache, embedder, "a", passing=passing.time).created == 1
    assert passing.slept == [0.25, 0.5, 1.0]  # twice as long each time, and up to twice that by chance


def test_a_lasting_outage_is_an_error(cache: EmbeddingCache) -> None:
    embedder = FakeEmbedder([EmbedderUnavailable("down")] * 9)
    with pytest.raises(EmbedderUnavailable):
        run(cache, embedder, "a")
    assert len(embedder.calls) == 8


def test_an_error_that_will_not_pass_is_not_tried_again(cache: EmbeddingCache) -> None:
    """Failure 46: a bad key was retried, a lost connection was not."""
    embedder = FakeEmbedder([ConfigError("bad key")])
    with pytest.raises(ConfigError):
        run(cache, embedder, "a")
    assert len(embedder.calls) == 1


def test_texts_are_streamed(cache: EmbeddingCache) -> None:
    """The texts of a large site are never held all at once."""
    alive = peak = 0

    class Text(str):
        def __new__(cls, value: str) -> "Text":
            nonlocal alive, peak
            alive += 1
            peak = max(peak, alive)
            return super().__new__(cls, value)

        def __del__(self) -> None:
            nonlocal alive
            alive -= 1

    expected = (Item(content_hash(f"text {n}"), 2, n) for n in range(4000))
    embedder = FakeEmbedder()
    outcome = embed_missing(
        cache,
        embedder,
        expected,
        lambda positions: [Text(f"text {n}") for n in positions],
        batch_size=32,
        on_progress=lambda result, total: embedder.calls.clear(),
    )
    assert outcome.created == 4000
    assert peak <= 600
