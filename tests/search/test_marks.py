"""Positions of the query's words in a text."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.search.quoting.marks import QueryWords
from searchsocket.text.synonyms import make_synonyms
from searchsocket.text.words import word_forms

# Those of one stem begin alike, so that one search of a text finds them all; `unit` and `union` part late.
REGULAR = ["install", "installs", "installing", "Installation", "unit", "units", "UNITS", "union", "UNIX", "uni", "c"]
ODD = [
    "re\u0301sume\u0301",
    "Ça",
    "検索",
    "15.9",
    "15.11",
    "--dry-run",
    "C++",
    "$state.raw",
    "useState",
    "getUnit",
    "UNIXUNITS",
]
SENTENCES = st.lists(st.one_of(st.sampled_from(REGULAR + ODD), st.text(max_size=6)), max_size=30).flatmap(
    lambda words: st.sampled_from([" ", "", "\n", "—", "_"]).map(lambda between: between.join(words))
)
SYNONYMS = make_synonyms([["unit", "sign in"], ["install", "set up"]])


def marked(text: str, q: str) -> list[str]:
    return [text[mark.start : mark.end] for mark in QueryWords(q).marks(text)]


@given(SENTENCES, SENTENCES)
def test_marks_ascend_apart_inside_the_text(text: str, q: str) -> None:
    for words in (QueryWords(q), QueryWords(q, SYNONYMS)):
        marks = words.marks(text)
        assert all(0 <= mark.start < mark.end <= len(text) and mark.word for mark in marks)
        assert all(before.end <= after.start for before, after in pairwise(marks))


@given(st.lists(st.sampled_from(REGULAR), max_size=20), st.lists(st.sampled_from(REGULAR), min_size=1, max_size=4))
def test_the_words_that_share_a_form_with_the_query_are_marked(words: list[str], wanted: list[str]) -> None:
    """However few of a text's words are looked at, the marks are those that looking at each would give."""
    forms = {form for word in wanted for form in (word.lower(), *word_forms(word))}
    expected = [word for word in words if forms & set(word_forms(word))]
    assert marked(" ".join(words), f"{' '.join(wanted)}.") == expected


@given(
    st.lists(st.sampled_from(["--dry-run", "C++", "$state.raw", "15.9", "word", "dry", "é"]), max_size=12),
    st.booleans(),
)
def test_literals_are_marked_wherever_they_stand_alone(words: list[str], is_upper: bool) -> None:
    """In upper case too, and beside letters that have more than one form."""
    literals = {"--dry-run", "C++", "$state.raw", "15.9"}
    text = " ".join(word.upper() if is_upper else word for word in words)
    results = [word for word in marked(text, " ".join(sorted(literals))) if word not in ("dry", "DRY")]
    assert results == [word.upper() if is_upper else word for word in words if word in literals]


@pytest.mark.parametrize(
    ("text", "q", "expected"),
    [
        ("the UNIXUNITS table", "units", ["UNITS"]),
        ("a CSSCOMPILER", "c compiler", ["COMPILER"]),
        ("offsetSet", "set", ["Set"]),
        ("Release 15.11", "release 15.9", ["Release", "15.11"]),
        ("K-9 and k-9", "k-9", ["K-9", "k-9"]),
        ("ſtate-of", "state-of", ["ſtate-of"]),
        ("state-of", "ſtate-of", ["state-of"]),
        ("s/x", "ſ/x", ["s/x"]),
        ("Configuring the CONFIGURATION", "conf", ["Configuring", "CONFIGURATION"]),
        ("Configuring – the configuration", "conf", ["Configuring", "configuration"]),
        ("reconfigured", "conf", []),
    ],
)
def test_words_are_found_inside_capitals_and_beside_odd_letters(text: str, q: str, expected: list[str]) -> None:
    assert marked(text, q) == expected


def test_a_long_run_without_words_costs_little() -> None:
    """Each capital may begin a word, and none of them ends before the text does: linear all the same."""
    assert marked("Ab" * 50_000, "ab abacus") == []
    assert len(marked("AB" * 30 + " ab" * 10_000, "ab abacus")) == 10_000
