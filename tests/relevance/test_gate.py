"""Answers, weak answers and refusals of the example site (figures: docs/notes/quality.md)."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from bench.gate.judged import Judged, judge
from bench.gate.queries import (
    FRESH,
    FRESH_SOFTWARE,
    OFF_TOPIC,
    PARAPHRASE,
    SOFTWARE,
    asked_of,
    off_topic,
    paraphrases,
)
from bench.gate.squeezed import Squeezed
from bench.relevance.example_site import NAME, example_site
from bench.relevance.product import SCOPE, Indexes
from searchsocket.models.embedders.base import Embedder
from searchsocket.models.embedders.builtin import BuiltinEmbedder
from searchsocket.search.ranking.confidence import WEAK


@pytest.fixture(scope="module")
def indexes() -> Indexes:
    return Indexes(BuiltinEmbedder())


@pytest.fixture(scope="module")
def judged(indexes: Indexes) -> list[Judged]:
    queries = asked_of(example_site(), is_site=False)
    return list(judge(queries, indexes))


def of_kind(judged: Sequence[Judged], kind: str) -> list[Judged]:
    return [chunk for chunk in judged if chunk.kind == kind]


def share(judged: Sequence[Judged], quality: str) -> float:
    return sum(item.quality == quality for item in judged) / len(judged)


def test_meaning_alone_answers(indexes: Indexes, judged: list[Judged]) -> None:
    """Of the paraphrases, those that no page has begun to use a word of."""
    (indexed,) = indexes.of(example_site())
    words = indexed.store.reader(SCOPE).words
    unknown = {text for text, _ in paraphrases(NAME) if not words.evidence(text).indexed_share}
    results = [line for line in of_kind(judged, PARAPHRASE) if line.text in unknown]
    assert len(results) >= 35
    assert sum(result.recall for result in results) / len(results) >= 0.4


def test_true_queries_are_answered_and_few_are_said_to_fit_badly(judged: list[Judged]) -> None:
    results = of_kind(judged, "true")
    assert share(results, "rejected") == 0
    assert share(results, "weak") <= 0.05


@pytest.mark.parametrize("model", [BuiltinEmbedder(), Squeezed()], ids=["builtin", "squeezed"])
def test_questions_about_something_else_are_refused_or_said_to_fit_badly(model: Embedder) -> None:
    """Also for a model all of whose cosines are high."""
    site = replace(example_site(), queries=())
    results = of_kind(list(judge(asked_of(site, is_site=False), Indexes(model))), OFF_TOPIC)
    assert len(results) == len(off_topic()) > 250
    assert share(results, "answered") <= 0.05
    assert share(results, "rejected") >= 0.8


def test_questions_by_which_nothing_was_chosen_are_not_answered_as_if_they_fitted(judged: list[Judged]) -> None:
    results = of_kind(judged, FRESH)
    assert len(results) == 46
    assert not {result.text for result in results} & set(off_topic())
    assert share(results, "answered") <= 0.05


def test_questions_about_other_software_get_little(judged: list[Judged]) -> None:
    """The worst kind: they share words with every documentation. By the second set nothing is chosen.

    Three of the first ask about Docker compose, which the site has a section on. Of the second set five of 47 are
    answered; the site has pages about alerts of Prometheus and about GitHub Actions, and names cron and C#.
    """
    for kind, most in ((SOFTWARE, 0.1), (FRESH_SOFTWARE, 0.11)):
        results = of_kind(judged, kind)
        assert len(results) >= 35
        assert share(results, "answered") <= most
        assert share(results, "rejected") >= 0.6


def test_an_answer_is_weak_where_its_best_result_is_not_sure(judged: list[Judged]) -> None:
    answered = [item for item in judged if item.confidences]
    assert all((entry.confidences[0] < WEAK) == (entry.quality == "weak") for entry in answered)
    assert {element.quality for element in answered} == {"answered", "weak"}
