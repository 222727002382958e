"""Rank of the right page for each golden query of the example site; a ranking change is a diff of the golden file."""

from pathlib import Path

import pytest

from bench.relevance.collection import Collection
from bench.relevance.example_site import example_site
from bench.relevance.metrics import evaluate
from bench.relevance.product import Indexes, Product
from searchsocket.models.embedders.builtin import BuiltinEmbedder
from searchsocket.quality.judgement import ndcg, recall, reciprocal_rank
from tests.conftest import GoldenCheck

GOLDEN = Path(__file__).parent / "golden" / "example-site.txt"


@pytest.fixture(scope="module")
def collection() -> Collection:
    return example_site()


@pytest.fixture(scope="module")
def ranking(collection: Collection) -> dict[str, list[str]]:
    return {query: list(result) for query, result in Product("product", Indexes(BuiltinEmbedder()))(collection).items()}


def test_every_target_is_where_it_was(
    collection: Collection, ranking: dict[str, list[str]], golden: GoldenCheck
) -> None:
    quality = evaluate(collection, ranking)
    lines = [
        f"{kind:<12} {value.queries:>3}  nDCG@10 {value.ndcg10:.3f}  MRR@10 {value.mrr10:.3f}  "
        f"recall@10 {value.recall10:.3f}"
        for kind, value in quality.items()
    ]
    for query in collection.queries:
        grades = collection.grades[query.id]
        rank = next((place for place, url in enumerate(ranking[query.id], start=1) if url in grades), 0)
        lines.append(f"{rank or '-':>3}  {query.text}  ->  {max(grades, key=lambda url: grades[url])}")
    golden(GOLDEN, "\n".join(lines))


def test_exact_identifiers_are_never_lost(collection: Collection, ranking: dict[str, list[str]]) -> None:
    assert evaluate(collection, ranking)["identifier"].recall10 == 1.0


def test_an_exact_title_finds_its_page_first(collection: Collection, ranking: dict[str, list[str]]) -> None:
    assert evaluate(collection, ranking)["title"].mrr10 == 1.0


def test_measures_are_those_of_the_books() -> None:
    grades = {"a": 2, "b": 1}
    assert ndcg(["a", "b"], grades) == 1.0
    assert ndcg(["x", "a"], grades) == pytest.approx((2 / 1.58496) / (2 + 1 / 1.58496), abs=1e-4)
    assert ndcg(["x"], grades) == 0.0
    assert reciprocal_rank(["x", "b", "a"], grades) == 0.5
    assert reciprocal_rank(["x"] * 10 + ["a"], grades) == 0.0
    assert recall(["a", "x", "b"], grades, 2) == 0.5
