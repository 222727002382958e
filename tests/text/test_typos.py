"""A word that matches nothing is tried with one or two typos."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.text.typos import allowed_edits, is_likely_typo, nearest, within

VOCABULARY = ["state", "router", "stated", "slate", "configuration", "animation"]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("statr", ["state"]),
        ("sttae", ["state"]),
        ("stae", ["state"]),
        ("sstate", ["state"]),
        ("stateds", ["stated"]),
        ("cofniguratoin", ["configuration"]),
        ("anmation", ["animation"]),
        ("xqzvwk", []),
        ("sat", []),
        ("", []),
        ("conf", []),
    ],
)
def test_the_nearest_words_are_found(typed: str, expected: list[str]) -> None:
    assert nearest(typed, VOCABULARY) == expected


def test_equally_near_words_come_in_the_order_of_the_vocabulary() -> None:
    assert nearest("word", ["worded", "sword", "wort", "ward", "wore"]) == ["sword", "wort", "ward"]


def test_short_words_are_taken_as_they_are() -> None:
    assert [allowed_edits("x" * size) for size in (0, 3, 4, 7, 8, 50)] == [0, 0, 1, 1, 2, 2]


@given(st.text("ab", max_size=6), st.text("ab", max_size=6), st.integers(0, 2))
def test_distance_agrees_with_the_table_method(one: str, other: str, edits: int) -> None:
    """Against the textbook dynamic program for optimal string alignment."""
    table = [[i + j if not i * j else 0 for j in range(len(other) + 1)] for i in range(len(one) + 1)]
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            differs = one[i - 1] != other[j - 1]
            table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + differs)
            if i > 1 and j > 1 and one[i - 1] == other[j - 2] and one[i - 2] == other[j - 1]:
                table[i][j] = min(table[i][j], table[i - 2][j - 2] + 1)
    assert within(one, other, edits) == (table[-1][-1] <= edits)


@pytest.mark.parametrize(
    ("typed", "expected", "is_likely"),
    [
        ("rcently", "recently", True),  # left out
        ("routter", "router", True),  # doubled
        ("rotuer", "router", True),  # swapped
        ("roxter", "router", False),  # a short word with another letter is another word
        ("rouxter", "router", False),
        ("animatxon", "animation", True),  # a long one is hardly near by chance
        ("animtxon", "animation", False),
    ],
)
def test_likely_slips_are_those_that_fingers_make(typed: str, expected: str, is_likely: bool) -> None:
    assert is_likely_typo(typed, expected) is is_likely


@pytest.mark.parametrize(
    ("typed", "word"),
    [
        ("einstellungen", "einstellung"),
        ("declaracoes", "declaracao"),
        ("homens", "homem"),
        ("bateaux", "bateau"),
        ("настройками", "настройка"),
    ],
)
def test_another_ending_of_a_word_is_found(typed: str, word: str) -> None:
    """Words are stemmed as in English and Arabic only."""
    assert nearest(typed, [word]) == [word]
    assert is_likely_typo(typed, word)


@pytest.mark.parametrize(("typed", "word"), [("listen", "list"), ("number", "numb"), ("stations", "static")])
def test_a_short_or_another_word_is_no_form(typed: str, word: str) -> None:
    assert nearest(typed, [word]) == []
    assert not is_likely_typo(typed, word)
