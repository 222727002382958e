"""A reranker decides most of the order, except for literal matches (spec 13.2)."""

import math
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.search.ranking.boosts import Boosts
from searchsocket.search.ranking.rank import Parts, candidate_scores, fuse, mix_scores, rank
from searchsocket.search.ranking.weights import WEIGHTS
from searchsocket.stores.base.index_reader import Facts

SCORES = st.none() | st.floats(-50, 50)
CANDIDATES = st.lists(st.tuples(st.floats(-1, 1), st.floats(0, 30), SCORES), min_size=2, max_size=30)


def facts(count: int) -> Facts:
    names = [f"/{number:02}" for number in range(count)]
    zeros = np.zeros(count, np.int64)
    return Facts(names, names, [""] * count, ["section"] * count, np.arange(count), zeros, zeros, np.ones(count))


def parts(rows: list[tuple[float, float, float | None]], exact: dict[int, float]) -> Parts:
    cosine, bm25, _ = zip(*rows, strict=True)
    zeros = np.zeros(len(rows))
    column = zeros.copy()
    for position, gain in exact.items():
        column[position] = gain
    return Parts(
        fuse(cosine, bm25, zeros),
        Boosts({"links": zeros + 0.05, "depth": zeros + 0.03}, 0.08),
        zeros + 1,
        {"exact": column, "passage": zeros},
    )


@given(CANDIDATES, st.data())
def test_an_exact_hit_is_never_lost(rows: list[tuple[float, float, float | None]], data: st.DataObject) -> None:
    """Whatever the reranker says: the title that was typed, and a page that holds the one word, stay above the rest."""
    hits = data.draw(st.sets(st.integers(0, len(rows) - 1), min_size=1, max_size=3))
    weight = data.draw(st.floats(0, 1))
    before = parts(rows, {hit: data.draw(st.sampled_from([WEIGHTS.only_word, WEIGHTS.title])) for hit in hits})
    scores = candidate_scores(range(len(rows)), [score for _, _, score in rows], len(rows))
    after = rank(facts(len(rows)), replace(before, reranked=scores, rerank_weight=weight))
    assert {chunk.position for chunk in after[: len(hits)]} == hits
    titles = {hit for hit in hits if before.exact[hit] == WEIGHTS.title}
    assert {chunk.position for chunk in after[: len(titles)]} == titles
    assert all(0 <= chunk.score <= 1 for chunk in after)


@given(CANDIDATES)
def test_without_a_weight_the_order_before_it_stands(rows: list[tuple[float, float, float | None]]) -> None:
    before = parts(rows, {})
    scores = candidate_scores(range(len(rows)), [score for _, _, score in rows], len(rows))
    assert rank(facts(len(rows)), replace(before, reranked=scores)) == rank(facts(len(rows)), before)


def test_the_reranker_decides_where_nothing_is_exact() -> None:
    rows: list[tuple[float, float, float | None]] = [
        (0.9, 9.0, 0.1),
        (0.5, 5.0, 0.9),
        (0.1, 1.0, 0.5),
        (0.0, 0.5, None),
    ]
    scores = candidate_scores(range(4), [score for _, _, score in rows], 4)
    order = rank(facts(4), replace(parts(rows, {}), reranked=scores, rerank_weight=1.0))
    assert [chunk.position for chunk in order] == [1, 2, 0, 3]


@given(st.lists(SCORES, min_size=1, max_size=20))
def test_scores_of_any_scale_are_brought_to_one(scores: list[float | None]) -> None:
    """Vendors return shares, self-hosted servers logits; a page without a score never ranks above one with a score."""
    column = candidate_scores(range(len(scores)), scores, len(scores) + 3)
    assert column.min() >= 0
    assert column.max() <= 1
    ordered = sorted(range(len(scores)), key=lambda n: (-math.inf if scores[n] is None else scores[n], column[n]))
    assert [column[n] for n in ordered] == sorted(column[: len(scores)])
    assert all(0 <= value <= 1 for value in mix_scores(column, column, 1.0))
