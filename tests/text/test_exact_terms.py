"""Exact terms: what the index keeps of a text says whether it holds a term, without the text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.text.exact import ExactTerm, exact_tokens

ALPHABET = st.text(st.sampled_from("aAbBeEsS_. -()1İK数库\n"), max_size=24)
ANY = st.text(max_size=30)


@given(st.one_of(ALPHABET, ANY), st.one_of(ALPHABET, ANY))
def test_the_tokens_of_a_text_are_those_of_every_term_in_it(text: str, term: str) -> None:
    """A posting list loses nothing, and one of a single word needs no second look."""
    expected, has = ExactTerm(term), set(exact_tokens(text))
    if expected.is_in(text):
        assert has.issuperset(expected.tokens)
    if expected.is_token:
        assert expected.is_in(text) == has.issuperset(expected.tokens)


@pytest.mark.parametrize(
    ("term", "text", "is_held"),
    [
        ("useState", "call useState(null)", True),
        ("useState", "call usestate(null)", False),
        ("usestate", "call useState(null)", True),
        ("websocket", "a WebSocket opens", True),
        ("SQL", "written in sql.", True),
        ("SQL", "SQLite is another", False),
        ("v4", "since V4.2 it works", True),
        ("use_state", "USE_STATE", False),
        ("React.useState", "React.useState()", True),
        ("react.usestate", "React.useState()", False),
        ("C++", "plain C and C++.", True),
        ("atomic  rename", "an atomic\nrename", True),
        ("état", "raison d'État", True),
        ("数据", "关系数据库", True),
        ("=>", "a => b", True),
    ],
)
def test_a_term_counts_as_a_whole_word_and_by_case_in_code_alone(term: str, text: str, is_held: bool) -> None:
    assert ExactTerm(term).is_in(text) == is_held
