"""Typos are corrected by an index, with the same result as a comparison of all words."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.stores.words import vocabulary
from searchsocket.stores.words.vocabulary import Vocabulary
from searchsocket.text.typos import allowed_edits, within

Counted = Sequence[tuple[str, int]]


def by_comparing_all(word: str, words: Counted) -> list[str]:
    """The rule as it is promised: fewest edits first, then the more frequent, then by spelling; three at the most."""
    same_letter = [(known_word, count) for known_word, count in words if known_word[0] == word[0]]
    for edits in range(1, allowed_edits(word) + 1):
        results = sorted((-count, known_word) for known_word, count in same_letter if within(word, known_word, edits))
        if results:
            return [known_word for _, known_word in results[:3]]
    return []


def of(words: Counted, letters: list[str] | None = None) -> Vocabulary:
    """A vocabulary as the index gives it: by letter, the most frequent first, then by spelling."""

    def words_with(first: str) -> list[str]:
        if letters is not None:
            letters.append(first)
        counted = sorted((item for item in words if item[0].startswith(first)), key=lambda item: (-item[1], item[0]))
        return [word for word, _ in counted]

    return Vocabulary(words_with)


# Few letters make many neighbours; the last two share a bit with others (64 apart), and one is beyond 16 bits.
LETTERS = "aábcŁ!\U0001d41a"
WORDS = st.dictionaries(st.text(LETTERS, min_size=1, max_size=11), st.integers(1, 4), max_size=60)


@given(st.text(LETTERS, min_size=1, max_size=12), WORDS)
def test_the_same_words_are_found_as_by_comparing_all(word: str, words: dict[str, int]) -> None:
    assert of(list(words.items())).nearest(word) == by_comparing_all(word, list(words.items()))


@given(WORDS.filter(bool), st.data())
def test_a_slip_of_a_known_word_is_found_as_by_comparing_all(words: dict[str, int], data: st.DataObject) -> None:
    word = list(data.draw(st.sampled_from(sorted(words))))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(1, len(word)))
        word[at : at + data.draw(st.integers(0, 1))] = data.draw(st.text(LETTERS, max_size=1))
    typed = "".join(word)
    others = [(known_word, count) for known_word, count in words.items() if known_word != typed]
    assert of(others).nearest(typed) == by_comparing_all(typed, others)


def test_each_letter_is_read_once() -> None:
    """A query of made-up words costs no scan of the vocabulary a word."""
    requests: list[str] = []
    words = of([("state", 3), ("stated", 2), ("router", 1)], requests)
    assert [words.nearest(typed) for typed in ("statr", "statw", "stae", "roter", "rouxer")] == [
        ["state"], ["state"], ["state"], ["router"], ["router"],
    ]  # fmt: skip
    assert requests == ["s", "r"]


def test_words_that_cannot_be_near_are_not_compared() -> None:
    """Of 5,000 words of one letter and about one length, only those of nearly the same letters are."""
    words = [f"s{chr(98 + n % 25)}{chr(98 + n // 25 % 25)}{chr(98 + n // 625 % 25)}enoun" for n in range(5_000)]
    letter = vocabulary._read(words)
    assert len(list(letter.near("sabilment"))) < 100


def test_the_memory_of_words_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Callers choose letters and words: the letters that were read first go, and are read again when they are asked."""
    requests: list[str] = []
    words = of([(f"{letter}tate{other}", 1) for letter in "abc" for other in "pqr"], requests)
    monkeypatch.setattr(vocabulary, "_MAX_WORDS", 7)
    monkeypatch.setattr(vocabulary, "_MAX_CACHED", 1)
    for typed in ("atatex", "btatex", "ctatex", "btatey", "atatey"):
        assert len(words.nearest(typed)) == 3
    assert requests == ["a", "b", "c", "a"]
