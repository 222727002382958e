"""What is typed to the letter is found first."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.search.ranking.exact import exact_scores
from searchsocket.stores.base import Candidates, Facts


def gain(q: str, text: str, titled: float = 0.0, headed: float = 0.0) -> float:
    number, one = np.zeros(1, np.int64), np.ones(1)
    facts = Facts(["/page"], ["Title"], [""], ["section"], number, number, number, one)
    found = Candidates(["id"], facts, one, one, one, titled * one, headed * one, 1.0)
    return float(exact_scores(q, found, lambda _: [text])[0])


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
    ],
)
def test_identifiers_gain_what_they_say(q: str, text: str, expected: float) -> None:
    assert gain(q, text) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("titled", "headed", "expected"),
    [
        (1.0, 0.0, 2.2),
        (1.0, 1.0, 2.2),
        (0.0, 1.0, 0.3),
        (0.5, 0.0, 0.3),
        (0.0, 0.5, 0.1),
        (0.5, 1.0, 0.6),
        (0.0, 0.0, 0.0),
    ],
)
def test_names_gain_by_how_much_of_them_is_typed(titled: float, headed: float, expected: float) -> None:
    assert gain("some words", "anything", titled, headed) == pytest.approx(expected)


@given(st.text(max_size=200), st.text(max_size=200), st.floats(0, 1), st.floats(0, 1))
def test_any_query_gains_within_bounds(q: str, text: str, titled: float, headed: float) -> None:
    assert 0.0 <= gain(q, text, titled, headed) <= 2.2


@given(st.sampled_from(["_$" * 400, "a" * 1000, ".a" * 500, "(" * 1000, "aB" * 500]))
def test_a_hostile_query_is_taken_apart_at_once(q: str) -> None:
    assert gain(q, "some text") == 0.0
