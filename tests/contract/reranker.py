"""Contract of rerankers."""

import math

import pytest

from searchsocket.models.rerankers.base import Reranker
from searchsocket.testing.embedder import TEXTS

QUERY = "install the package"


class RerankerContract:
    """A subclass supplies a `reranker` fixture."""

    def test_every_text_gets_a_finite_score(self, reranker: Reranker) -> None:
        """However odd the texts and the query are."""
        for query in (QUERY, "\ud800 alone", "👩‍👩‍👧‍👦"):
            scores = reranker.rerank(query, TEXTS, top_n=len(TEXTS), timeout_s=30).scores
            assert len(scores) == len(TEXTS)
            assert all(score is not None and math.isfinite(score) for score in scores)

    def test_only_the_best_have_a_score_where_fewer_are_asked_for(self, reranker: Reranker) -> None:
        everything = reranker.rerank(QUERY, TEXTS, top_n=len(TEXTS), timeout_s=30).scores
        best = reranker.rerank(QUERY, TEXTS, top_n=3, timeout_s=30).scores
        order = sorted(range(len(TEXTS)), key=lambda number: (-(everything[number] or 0.0), number))
        assert {number for number, score in enumerate(best) if score is not None} == set(order[:3])

    def test_a_score_does_not_depend_on_the_place_of_its_text(self, reranker: Reranker) -> None:
        once = reranker.rerank(QUERY, TEXTS, top_n=len(TEXTS), timeout_s=30).scores
        turned = reranker.rerank(QUERY, TEXTS[::-1], top_n=len(TEXTS), timeout_s=30).scores[::-1]
        assert once == pytest.approx(turned)

    def test_tokens_are_counted(self, reranker: Reranker) -> None:
        """The cost of a call is estimated before it, and reported after it."""
        assert reranker.rerank(QUERY, TEXTS, top_n=1, timeout_s=30).tokens > 0
        assert reranker.count_tokens(QUERY, TEXTS * 2) == 2 * reranker.count_tokens(QUERY, TEXTS) > 0
