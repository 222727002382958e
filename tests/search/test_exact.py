"""Exact matches are ranked first."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.search.ranking.names import exact_features
from searchsocket.search.ranking.weights import WEIGHTS
from searchsocket.stores.base.index_reader import Candidates, Facts


def gain(q: str, text: str, titled: float = 0.0, headed: float = 0.0) -> float:
    """Of one of many candidates, of which no other holds what the query says."""
    others, zero = 999, np.zeros(1_000)
    first = np.eye(1, 1_000)[0]
    facts = Facts(["/page"] * 1_000, [""] * 1_000, [""] * 1_000, ["section"] * 1_000, zero, zero, zero, zero + 1)
    candidates = Candidates(["id"] * 1_000, facts, zero, zero, zero, titled * first, headed * first, 1.0)
    return float(sum(exact_features(q, candidates, lambda _: [text, *[""] * others]).values())[0])


@pytest.mark.parametrize(
    ("q", "text", "expected"),
    [
        ("max_chars", "set `max_chars` to 900", 1.1),
        ("battery", "the battery of the car", 1.1),
        ("battery", "the engine", 0.0),
        ("how do I set max_chars", "set `max_chars` to 900", 0.3),
        ("max_chars and min_chars", "only min_chars", 0.15),
        ("what does --force do", "run it with --force", 0.3),
        ("call useState twice", "useState gives a pair", 0.3),
        ("two-way binding of v4 e.g. forms", "two-way binding of v4, e.g. forms", 0.0),  # ordinary words of prose
        ("", "anything", 0.0),
        ("依赖注入", "依赖注入很强大", 0.0),  # several words without spaces
        ("環境変数", "環境変数の設定", 0.0),
        ("max_chars设置", "max_chars设置", 0.3),
    ],
)
def test_identifiers_gain_what_they_say(q: str, text: str, expected: float) -> None:
    assert gain(q, text) == pytest.approx(expected, rel=2e-3)


@pytest.mark.parametrize(
    ("titled", "headed", "expected"),
    [
        (1.0, 0.0, 4.4),
        (1.0, 1.0, 4.4),
        (0.0, 1.0, WEIGHTS.heading),
        (0.5, 0.0, WEIGHTS.title_begun / 2),
        (0.0, 0.5, 0.1),
        (0.5, 1.0, WEIGHTS.title_begun / 2 + WEIGHTS.heading),
        (0.0, 0.0, 0.0),
    ],
)
def test_names_gain_by_how_much_of_them_is_typed(titled: float, headed: float, expected: float) -> None:
    assert gain("some words", "anything", titled, headed) == pytest.approx(expected, rel=2e-3)


@given(st.text(max_size=200), st.text(max_size=200), st.floats(0, 1), st.floats(0, 1))
def test_any_query_gains_within_bounds(q: str, text: str, titled: float, headed: float) -> None:
    assert 0.0 <= gain(q, text, titled, headed) <= 4.4


@given(st.sampled_from(["_$" * 400, "a" * 1000, ".a" * 500, "(" * 1000, "aB" * 500]))
def test_a_hostile_query_is_taken_apart_at_once(q: str) -> None:
    assert gain(q, "some text") == 0.0


def test_an_identifier_that_most_candidates_hold_tells_none_apart() -> None:
    """The product's own name would lift every page but the one that does not repeat it."""
    texts = ["max_chars of acme.js", "acme.js", "acme.js", "nothing"]
    column = np.zeros(4)
    facts = Facts(["/"] * 4, [""] * 4, [""] * 4, ["section"] * 4, column, column, column, column + 1)
    candidates = Candidates(list("abcd"), facts, column, column, column, column, column, 1.0)
    scores = sum(exact_features("set max_chars of acme.js", candidates, lambda _: texts).values())
    assert scores.tolist() == pytest.approx([0.3 * (0.75 + 0.25) / 2, 0.3 * 0.25 / 2, 0.3 * 0.25 / 2, 0.0])
