"""What is typed to the letter is found first."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.search.ranking.exact import exactness


def gain(q: str, text: str) -> float:
    return exactness(q).of("Title", "/page", text)


@pytest.mark.parametrize(
    ("q", "text", "expected"),
    [
        ("Title", "anything", 2.2),
        ("  title? ", "anything", 2.2),
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
def test_titles_and_names_gain_what_they_say(q: str, text: str, expected: float) -> None:
    assert gain(q, text) == pytest.approx(expected)


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_query_gains_within_bounds(q: str, text: str) -> None:
    assert 0.0 <= gain(q, text) <= 2.2


@given(st.sampled_from(["_$" * 400, "a" * 1000, ".a" * 500, "(" * 1000, "aB" * 500]))
def test_a_hostile_query_is_taken_apart_at_once(q: str) -> None:
    assert gain(q, "some text") == 0.0
